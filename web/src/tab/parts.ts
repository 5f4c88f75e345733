// What the tests of the browser edition use in Node (tests/browser).
export { networkLoader, openCore, unpacked } from "./files";
export { completed, levelRow, makePlayer, Policies } from "./players";
export { Generator } from "./random";
export { observe } from "./rbc";
export { guessObserves, newGuess, Tracker } from "./rbc-boards";
export { RULES } from "./rules";
export { TabServer } from "./server";
export { memoryStore } from "./store";
