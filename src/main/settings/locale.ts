/** The window's language for a choice: the chosen one, or the first of the system's that the app speaks. */
export function localeFor(language: 'system' | 'en' | 'vi', systemLanguages: readonly string[]): 'en' | 'vi' {
  if (language !== 'system') return language
  const known = systemLanguages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag === 'en' || tag === 'vi')
  return known === 'vi' ? 'vi' : 'en'
}
