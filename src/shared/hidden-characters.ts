// Control, zero-width, bidirectional and tag characters.
const hiddenCharacterPattern = /(?![\t\n\r])\p{Cc}|[\u200b\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu

/** Shows control, invisible and bidirectional characters as `⟨U+202E⟩`. */
export const withVisibleControls = (text: string): string => text.replace(hiddenCharacterPattern, codePoint)

const codePoint = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

// Invisible characters: controls, bidirectional marks, zero width, fillers, lone surrogates. Emoji use two of them.
const hiddenPattern =
  /(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic}))(?!(?<=\p{Emoji})\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cs}\ufff9-\ufffb]/gu

const allHiddenPattern = new RegExp(`${hiddenPattern.source}|[\\p{Zl}\\p{Zp}\\u2800]`, 'gu')

/** Removes invisible characters. Keeps line breaks and tabs. */
export const withoutHiddenInText = (text: string): string =>
  text.replace(hiddenPattern, (character) => (/^[\t\n\r]$/.test(character) ? character : ''))

/** Removes invisible characters and line breaks. */
export const withoutHidden = (text: string): string => text.replace(hiddenPattern, '')

/** Shows invisible characters and line breaks as `⟨U+202E⟩`, so that no part of a text in a confirmation is hidden. */
export const escapeHiddenCharacters = (text: string): string => text.replace(allHiddenPattern, codePoint)

/** Whether a text contains invisible characters. */
export const hasHiddenCharacters = (text: string): boolean => withoutHidden(text) !== text

/** Escapes invisible characters in JSON. The value is unchanged, and terminals and bidirectional text are safe. */
export const escapeHiddenInJson = (json: string): string =>
  json.replace(hiddenPattern, (characters) =>
    // Keep line breaks, which only occur outside of strings as formatting.
    characters === '\n' ? characters : characters.split('').map(escapeUnit).join(''),
  )

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const defaultMaxLength = 200

/**
 * Sanitizes an external name for display: one line, no invisible characters, limited combining marks, maximum length in UTF-16 units. May
 * be empty. Not for values sent back to their source.
 */
export function cleanName(text: string, maxLength = defaultMaxLength): string {
  // Cut the text first, to limit the work for extremely long names.
  const singleLineText = text.slice(0, 20 * maxLength).replace(/[\s\u0085]+/gu, ' ')
  const visibleText = withoutHidden(singleLineText)
    .replace(/(\p{M}{4})\p{M}+/gu, '$1')
    .replace(/ +/g, ' ')
    .trim()
  if (visibleText.length <= maxLength) return visibleText
  const truncatedText = visibleText.slice(0, maxLength - 1)
  return `${/[\ud800-\udbff]$/.test(truncatedText) ? truncatedText.slice(0, -1) : truncatedText}…`
}

/** The first free name: with an empty mark, or else with `-2`, `-3` and so on. */
export function findFreeName(isTaken: (name: string) => boolean, toName: (mark: string) => string): string {
  for (let number = 1; ; number += 1) {
    const name = toName(number === 1 ? '' : `-${number}`)
    if (!isTaken(name)) return name
  }
}
