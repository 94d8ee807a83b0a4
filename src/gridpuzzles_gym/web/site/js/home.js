// @ts-check
/** The home page, whose cards are in the page itself. */
import { start } from "./start.js";

await start(async () => {});
