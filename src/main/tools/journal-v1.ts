/** The formats of the two tools that the first version of a journal knew. */
const formats: Readonly<Record<string, string>> = { 'claude-code': 'json', opencode: 'jsonc' }

const fileParts = [
  'path',
  'realPath',
  'existed',
  'mode',
  'writtenMode',
  'backup',
  'createdFolders',
  'found',
  'owned',
  'commentsCopy',
]

/** A journal of the first version (one file a tool, this user's home) in the form of the second; others as they are. */
export function upgraded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const old = new Map<string, unknown>(Object.entries(value))
  if (old.get('version') !== 1) return value
  const file = Object.fromEntries(fileParts.flatMap((name) => (old.has(name) ? [[name, old.get(name)]] : [])))
  const rest = Object.fromEntries([...old].filter(([name]) => !fileParts.includes(name)))
  return {
    ...rest,
    version: 2,
    site: { kind: 'user' },
    choice: upgradedChoice(old.get('choice')),
    files: [{ id: 'settings', format: formats[String(old.get('toolId'))], ...file }],
    ceded: [],
  }
}

function upgradedChoice(choice: unknown): unknown {
  const { smallModelCode, ...rest } = Object.fromEntries(Object.entries(choice ?? {}))
  return { ...rest, slots: { small: smallModelCode } }
}
