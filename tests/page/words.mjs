// Words of pages: takes languages, tables and sentences with values, and answers with the language and the texts.
import { numeral, phrase, speak } from "../../boidsgen/webpage/words.js";
import { answer } from "./engine.mjs";

answer(({ wanted, tables, sentences }) => [
  speak(wanted, ...tables),
  ...sentences.map(([english, values]) => (values ? phrase(english, values) : numeral(english))),
]);
