/** The platform's rule: a key name has at most so many characters. */
const mostCharacters = 50

/** The old key's name with the day of the rotation in UTC, that of an earlier rotation taken off; one that is not taken. */
export function newKeyName(oldName: string, taken: readonly string[], now: Date): string {
  const [base = ''] = oldName.split(/-\d{4}-\d{2}-\d{2}(?:-\d+)?$/)
  const day = now.toISOString().slice(0, 10)
  for (let number = 1; ; number += 1) {
    const mark = `-${day}${number === 1 ? '' : `-${number}`}`
    const name = [...base].slice(0, mostCharacters - mark.length).join('') + mark
    if (!taken.includes(name)) return name
  }
}
