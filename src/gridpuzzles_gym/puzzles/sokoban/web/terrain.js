// @ts-check
/** The terrain of a board, as terrain.py: joined walls, the floor inside them, and the void outside. */

/** @typedef {"void" | "floor" | "built"} Kind of a square: outside, floor, or a wall next to floor */
/** @typedef {(row: number, column: number) => Kind} Terrain */
/** @typedef {{form: string, ground: string}} Quarter the sprite of a quarter of a wall, and the one below it */

/**
 * Return the terrain of a board. Walls that touch floor, at least diagonally, are built; all others are void, so that
 * neither padding nor thick walls are drawn.
 * @param {boolean[]} walls @param {number} columns @returns {Terrain}
 */
export function terrainOf(walls, columns) {
  const rows = walls.length / columns;
  const inside = (/** @type {number} */ row, /** @type {number} */ column) =>
    row >= 0 && row < rows && column >= 0 && column < columns;
  const isFloor = (/** @type {number} */ row, /** @type {number} */ column) =>
    inside(row, column) && !walls[row * columns + column];
  const sides = [-1, 0, 1];
  const isNear = (/** @type {number} */ row, /** @type {number} */ column) =>
    sides.some((down) => sides.some((right) => isFloor(row + down, column + right)));
  return (row, column) => {
    if (!inside(row, column)) return "void";
    return isFloor(row, column) ? "floor" : isNear(row, column) ? "built" : "void";
  };
}

/**
 * Return the sprite of a floor square.
 * @param {Terrain} terrain @param {number} row @param {number} column
 * @param {boolean} shaded whether floor below a wall is darker
 */
export function floorName(terrain, row, column, shaded) {
  return shaded && terrain(row - 1, column) === "built" ? "floor_shaded" : "floor";
}

/**
 * Return the quarters of a wall: upper left, upper right, lower left, lower right.
 * @param {Terrain} terrain @param {number} row @param {number} column @returns {Quarter[]}
 */
export function quarters(terrain, row, column) {
  return [[-1, -1], [-1, 1], [1, -1], [1, 1]].map(([up, left]) => {
    const [beside, above] = [terrain(row, column + left), terrain(row + up, column)];
    const corner = terrain(row + up, column + left);
    const [joinsBeside, joinsAbove] = [beside === "built", above === "built"];
    let form = joinsBeside ? (joinsAbove ? "wall_cross" : "wall_row") : joinsAbove ? "wall_column" : "wall";
    if (form === "wall_cross" && corner === "built") form = "wall_solid";
    return { form, ground: [beside, above, corner].includes("floor") ? "floor" : "void" };
  });
}
