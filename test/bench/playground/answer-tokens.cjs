/**
 * Tokens of a generated Markdown answer with prose, a list, code, a table and a formula, repeated with variations by
 * position and seed. Self-contained, so that its source can be sent into a page.
 * @param {{ seed: string, count: number }} wanted
 * @returns {string[]}
 */
function answerTokens({ seed, count }) {
  const sentence = (/** @type {string} */ at) =>
    `The gateway ${seed} answers request ${at} in **order**, because a queue of \`${at}\` entries is read by one thread only.`
  const chapter = (/** @type {number} */ at) => {
    const of = `${seed}-${at}`
    const text = Array.from({ length: 4 }, (_, part) => sentence(`${of}.${part}`)).join(' ')
    const items = Array.from({ length: 5 }, (_, part) => `- Step ${part + 1} of ${of}: ${sentence(`${part}`)}`).join(
      '\n',
    )
    const lines = Array.from({ length: 12 }, (_, line) => `  const value${line} = await read('${of}', ${line}) // next`)
    const rows = Array.from({ length: 5 }, (_, row) => `| ${of} | ${row * at} | ${sentence(`${row}`)} |`).join('\n')
    return [
      `## Part ${of}`,
      text,
      items,
      `\`\`\`ts\nexport async function part${at}() {\n${lines.join('\n')}\n}\n\`\`\``,
      `| Name | Count | Meaning |\n| --- | ---: | --- |\n${rows}`,
      `The sum is $\\sum_{i=1}^{${at}} x_i^2 = \\frac{a_{${at}}}{b}$, and so ${text}`,
    ].join('\n\n')
  }
  /** @type {string[]} */
  const tokens = []
  for (let at = 1; tokens.length < count; at += 1)
    tokens.push(...(`${chapter(at)}\n\n`.match(/\s*\S{1,5}|\s+$/g) ?? []))
  return tokens.slice(0, count)
}

module.exports = { answerTokens }
