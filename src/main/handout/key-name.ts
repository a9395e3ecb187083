import { cleanName } from '@shared/hidden-characters'

const longest = 50

/** A name for a holder's key that none of the taken ones is: the holder's, numbered when needed; at most 50 characters, never half of one. */
export function keyNameFor(holderName: string, taken: readonly string[]): string {
  const wanted = cleanName(holderName.normalize('NFC')) || 'key'
  const known = new Set(taken.map(folded))
  for (let n = 1; ; n += 1) {
    const mark = n === 1 ? '' : `-${n}`
    const name = cut(wanted, longest - mark.length) + mark
    if (!known.has(folded(name))) return name
  }
}

const folded = (name: string): string => name.normalize('NFC').toLowerCase()

/** The contract counts in UTF-16, so the name is cut between characters that fit. */
function cut(text: string, most: number): string {
  let whole = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (whole.length + segment.length > most) break
    whole += segment
  }
  return whole.trim() || 'key'
}
