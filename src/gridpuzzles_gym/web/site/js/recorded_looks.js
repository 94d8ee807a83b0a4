// @ts-check
/** The placements and the status of the scenes of a film, which are recorded in it: `film.py` describes them. */

/** @typedef {import("./picture.js").Source} Source */

/** @type {Source} */
export const recorded = {
  area: ({ looks }) => looks.episode.area,
  groundKey: ({ level }) => String(level),
  ground: ({ looks }) => rows(looks, looks.episode.ground),
  inset: ({ looks }) => rows(looks, looks.episode.inset),
  pieces: ({ looks }) => rows(looks, looks.pieces),
  status: ({ looks }) => looks.said,
};

/** @param {any} looks @param {number[]} indices @returns {import("./placements.js").Row[]} */
function rows({ episode }, indices) {
  return indices.map((index) => episode.placements[index]);
}
