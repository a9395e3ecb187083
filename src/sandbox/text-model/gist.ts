/** The beginning of what was asked, on one line. */
export function gist(prompt: string): string {
  const line = prompt.trim().slice(0, 2000).replace(/\s+/g, ' ')
  const characters = [...line]
  return characters.length > 80 ? `${characters.slice(0, 79).join('').trimEnd()}…` : line
}
