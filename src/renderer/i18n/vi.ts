const files = import.meta.glob<object>(['../locales/vi/*.json', '!**/system.json'], { eager: true, import: 'default' })

/** Vietnamese texts by namespace. A test compares their keys and placeholders with the English ones. */
export const vi = Object.fromEntries(
  Object.entries(files).map(([path, texts]) => [path.replace(/^.*\/|\.json$/g, ''), texts]),
)
