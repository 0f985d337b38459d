/**
 * Words of a page in its language. The English sentence is the key of a table, and takes the place of what the
 * table lacks.
 */

/** @typedef {{[language: string]: {[english: string]: string}}} Tables */

/** @type {Map<string, string>} */
let table = new Map();
let point = "."; // The decimal sign

/**
 * Chooses the language of the page: the first of those wanted that is English or has a table.
 * @param {readonly string[]} wanted tags such as "de-AT"
 * @param {...Tables} tables later ones win
 * @returns {string} the language
 */
export function speak(wanted, ...tables) {
  const known = (/** @type {string} */ tag) => {
    const [language] = tag.split("-");
    return language === "en" || tables.some((one) => Object.hasOwn(one, language));
  };
  const tag = wanted.find(known) ?? "en";
  const [language] = tag.split("-");
  table = new Map(tables.flatMap((one) => Object.entries(one[language] ?? {})));
  point = (0.5).toLocaleString(tag)[1];
  return language;
}

/**
 * A sentence in the language of the page.
 * @param {string} english with the names of values as places, `{name}`
 * @param {{[name: string]: string | number}} values
 */
export function phrase(english, values = {}) {
  return (table.get(english) ?? english).replace(/\{(\w+)\}/g, (place, name) =>
    Object.hasOwn(values, name) ? numeral(`${values[name]}`) : place,
  );
}

/** A text in English notation with the decimal sign of the language. @param {string} text */
export function numeral(text) {
  return text.replace(/(?<=\d)\.(?=\d)/g, point);
}
