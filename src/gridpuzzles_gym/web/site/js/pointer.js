// @ts-check
/** Mouse and touch on the board: a click, a drag or a swipe, and a long press or right click for marks. */

/** @typedef {import("./scene.js").Square} Square */

const LONG = 500; // milliseconds of a long press
const SWIPE = 24; // pixels that a pointer moves until it is a swipe

/**
 * @typedef {object} Uses
 * @property {(point: {clientX: number, clientY: number}) => Square | null} squareAt
 * @property {(square: Square) => void} click
 * @property {(start: Square | null, end: Square | null, direction: string) => void} drag the direction is a key's name
 * @property {((square: Square) => void) | null} mark null if there are no marks
 */

/** @param {SVGElement | HTMLElement} board @param {Uses} uses */
export function listenToPointer(board, { squareAt, click, drag, mark }) {
  /** @type {PointerEvent | null} */
  let down = null;
  let timer = 0;

  const end = () => {
    clearTimeout(timer);
    down = null;
  };
  board.addEventListener("pointerdown", (/** @type {any} */ event) => {
    end();
    if (!event.isPrimary || event.button !== 0) return;
    down = event;
    board.setPointerCapture(event.pointerId);
    if (mark && event.pointerType !== "mouse") {
      timer = setTimeout(() => {
        markAt(event);
        end();
      }, LONG);
    }
  });
  board.addEventListener("pointermove", (/** @type {any} */ event) => {
    if (down && distance(down, event) > SWIPE) clearTimeout(timer);
  });
  board.addEventListener("pointerup", (/** @type {any} */ event) => {
    const start = down;
    end();
    if (!start) return;
    const [from, to] = [squareAt(start), squareAt(event)];
    if (distance(start, event) > SWIPE) drag(from, to, direction(start, event));
    else if (from && to && from.row === to.row && from.column === to.column) click(from);
  });
  board.addEventListener("pointercancel", end);
  // No scrolling by touch here: otherwise browsers take a quick swipe for it, and ignore the next tap.
  board.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  board.addEventListener("contextmenu", (/** @type {any} */ event) => {
    if (!mark) return;
    event.preventDefault();
    if (event.button === 2 && event.pointerType !== "touch") markAt(event);
  });

  /** @param {{clientX: number, clientY: number}} point */
  function markAt(point) {
    const square = squareAt(point);
    if (square) mark?.(square);
  }
}

/** @param {PointerEvent} a @param {PointerEvent} b */
function distance(a, b) {
  return Math.hypot(b.clientX - a.clientX, b.clientY - a.clientY);
}

/** @param {PointerEvent} a @param {PointerEvent} b */
function direction(a, b) {
  const [right, below] = [b.clientX - a.clientX, b.clientY - a.clientY];
  if (Math.abs(right) > Math.abs(below)) return right > 0 ? "right" : "left";
  return below > 0 ? "down" : "up";
}
