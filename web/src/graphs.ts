// Graphs are drawn in units of a pixel: fewer units on a phone keep their letters readable.

const PHONE = 640;

export const isPhone = () => innerWidth < PHONE;

/** Units across a graph that has `wide` of them on a large screen. */
export const graphWidth = (wide: number) => (isPhone() ? Math.min(wide, 360) : wide);
