// Run by test_verbatim.py: drives workers/verbatim.mjs with a toy tokenizer (one token a word).
import { Verbatim } from "../../../workers/verbatim.mjs";

const [, , input] = process.argv;
const { sentences, most, wishes } = JSON.parse(input);
const words = ["<end>"];
const id = (/** @type {string} */ word) => {
  if (!words.includes(word)) words.push(word);
  return words.indexOf(word);
};
const tokenizer = { encode: (/** @type {string} */ text) => (text.match(/ ?[^ ]+/g) ?? []).map(id) };
const verbatim = new Verbatim(tokenizer, sentences, most, 0);
const vocabulary = words.length + 3; // three words that stand in no sentence
const ids = [[7n, 7n]];
const said = [];
for (let step = 0; step < 100; step++) {
  // The model's wish: a word it wants most; else whatever is left with the highest number.
  const data = Float32Array.from({ length: vocabulary }, (_, n) => n);
  const wish = wishes[step];
  if (wish !== undefined && words.includes(wish)) data[words.indexOf(wish)] = 1e6;
  verbatim.process(ids, { data });
  const best = data.indexOf(Math.max(...data));
  if (best === 0) break;
  ids[0].push(BigInt(best));
  said.push(words[best] ?? "?");
}
console.log(JSON.stringify(said.join("")));
