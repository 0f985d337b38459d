/** Ticks of an axis, and elements of an SVG, for the charts of pages and of sweeps. */

/** The next round number: 1, 2 or 5 times a power of ten. @param {number} value above 0 */
export function roundedUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((digit) => digit * power >= value) ?? 10);
}

/**
 * Round numbers within an axis, at most one more than wanted.
 * @param {number} low
 * @param {number} high
 * @param {number} wanted
 */
export function ticks(low, high, wanted) {
  const step = roundedUp((high - low) / wanted);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, k) => (first + k) * step);
}

/**
 * A function that adds an element to an SVG.
 *
 * @param {Element} svg
 * @returns {(tag: string, attributes: {[name: string]: string | number}, text?: string) => Element}
 */
export const draft =
  (svg) =>
  (tag, attributes, text = "") => {
    const made = document.createElementNS(svg.namespaceURI, tag);
    for (const [name, given] of Object.entries(attributes)) made.setAttribute(name, `${given}`);
    made.textContent = text;
    svg.append(made);
    return made;
  };
