/** How long a key's name may be (contract). */
export const longestKeyName = 50

/** A name as it is sent, or nothing when it cannot be: empty, or too long. */
export function readKeyName(text: string): string | undefined {
  const name = text.trim()
  return name.length >= 1 && name.length <= longestKeyName ? name : undefined
}
