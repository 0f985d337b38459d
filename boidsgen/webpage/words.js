/**
 * Words of a page in its language. The English sentence is the key of a table, and takes the place of what
 * the table lacks.
 */

import { inflated } from "./kernel.js";

/** @typedef {{[language: string]: {[english: string]: string}}} Tables */

/** @type {Map<string, string>} */
let table = new Map();
/** Texts of the scenario, if it is a preset. @type {{[english: string]: string}} */
let own = {};
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

/** A text of the scenario, which has a translation if it is that of a preset. @param {string} text */
export const authored = (text) => (Object.hasOwn(own, text) ? own[text] : text);

/** A name of Python's, of a rule or a measure, in words of the language of the page. @param {string} name */
export const inWords = (name) => phrase(name.replaceAll("_", " "));

/** What an exception says, in the language of the page. @param {unknown} error */
export const reason = (error) => phrase(error instanceof Error ? error.message : String(error));

/**
 * A number in English notation with the decimal sign of the language; other texts stay.
 * @param {string} text
 */
export function numeral(text) {
  return /^-?\d+\.\d+(e[+-]\d+)?$/.test(text) ? text.replace(".", point) : text;
}

/**
 * Puts the page, as it stands in its document, into its language.
 * @param {string} language chosen by the scenario, or "" for that of the browser
 * @param {Tables} preset texts of the scenario
 */
export async function translate(language, preset) {
  const wanted = language ? [language] : navigator.languages;
  const packed = document.getElementById("languages")?.textContent ?? "";
  // English needs no table.
  const bytes = wanted[0]?.startsWith("en") ? null : await inflated(packed);
  /** @type {Tables} */
  const tables = bytes ? JSON.parse(new TextDecoder().decode(bytes)) : {};
  const spoken = speak(wanted, tables, preset);
  own = preset[spoken] ?? {};
  document.documentElement.lang = spoken;
  document.title = authored(document.title);
  for (const heading of document.querySelectorAll("h1")) heading.textContent = document.title;
  retell("main :not(h1, code), dialog, dialog *");
}

/** Puts the texts of elements into the language of the page. @param {string} elements by CSS */
export function retell(elements) {
  for (const one of document.querySelectorAll(elements)) {
    for (const name of ["aria-label", "title", "placeholder"])
      if (one.hasAttribute(name)) one.setAttribute(name, phrase(one.getAttribute(name) ?? ""));
    for (const node of one.childNodes)
      if (node instanceof Text) node.data = node.data.replace(/\S(.*\S)?/s, (english) => phrase(english));
  }
}
