// Control characters; zero width, overrides and isolates of direction; tags.
const hidden = /(?![\t\n\r])\p{Cc}|[\u200b\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu

/** A text with its control, invisible and direction-turning characters as `⟨U+202E⟩`, so that it reads as what it is. */
export const withVisibleControls = (text: string): string =>
  text.replace(
    hidden,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
