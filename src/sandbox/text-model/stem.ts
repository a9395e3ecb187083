/** Lower case without marks: `Phở` and `pho` are one word. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('đ', 'd')

const shortestStem = 3

const endings: readonly (readonly [RegExp, string])[] = [
  [/(?:ies|ied)$/, 'y'],
  [/(?:sses|shes|ches|xes)$/, ''],
  [/(?:ation|ations|ments?|ness|fully|ingly)$/, ''],
  [/(?:ings?|edly|ed|ers?|ly)$/, ''],
  [/es$/, ''],
  [/(?<!s)s$/, ''],
]

/** The folded word without a common English ending, so that `deploys`, `deployed` and `deployment` are one word. */
export function stem(word: string): string {
  const plain = fold(word)
  if (!/^[a-z]+$/.test(plain)) return plain
  const ending = endings.find(([pattern]) => pattern.test(plain))
  const rest = ending ? plain.replace(...ending) : plain
  const bare =
    rest.length > shortestStem ? rest.replace(/([b-df-hj-km-np-rtvwxz])\1$/, '$1').replace(/[ey]$/, '') : rest
  return bare.length >= shortestStem ? bare : plain
}
