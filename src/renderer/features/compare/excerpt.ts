/** How much of an answer a cell of many draws. */
const mostShown = 2400
const longEnoughToFade = 420
const linesToFade = 8

/** The beginning of an answer, cut at the end of a line where there is one near. */
export function beginningOf(text: string): string {
  if (text.length <= mostShown) return text
  const cut = text.slice(0, mostShown)
  const line = cut.lastIndexOf('\n')
  return line > mostShown / 2 ? cut.slice(0, line) : cut
}

/** The end of an answer that is still coming. */
export const endOf = (text: string): string => (text.length <= mostShown ? text : text.slice(-mostShown))

/** Whether an answer is too long for a cell of many, so that its end fades out. */
export const isLong = (text: string): boolean =>
  text.length > longEnoughToFade || text.split('\n', linesToFade + 1).length > linesToFade
