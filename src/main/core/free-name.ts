/** The first free name: with an empty mark, or else with `-2`, `-3` and so on. */
export function findFreeName(isTaken: (name: string) => boolean, toName: (mark: string) => string): string {
  for (let number = 1; ; number += 1) {
    const name = toName(number === 1 ? '' : `-${number}`)
    if (!isTaken(name)) return name
  }
}
