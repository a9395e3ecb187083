/**
 * Whether the window still is at this path. While the page that one went to is loaded, the one before stays drawn for a moment: what it writes
 * into the address then would lead back to it.
 */
export function isStillAt(pathname: string): boolean {
  const [there = ''] = location.hash.slice(1).split('?')
  return there === '' || there === pathname
}
