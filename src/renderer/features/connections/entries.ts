import type {
  AddressKey,
  ConnectionDraft,
  ConnectionPart,
  ConnectionView,
  MethodInput,
  PendingKeyView,
  TokenSource,
} from '@shared/contract'

export type SourceKind = TokenSource['kind'] | 'none'

/** Connection form as typed. Main stores the pasted secret, and the form only has its id and masked form. */
export interface Entries extends Readonly<Partial<Record<AddressKey, string>>> {
  readonly name: string
  readonly kind: SourceKind
  readonly tokenUrl: string
  readonly clientId: string
  readonly scope: string
  readonly program: string
  /** Arguments of the token command, one per line. */
  readonly args: string
  readonly caFile: string
  readonly pending: PendingKeyView | undefined
}

/** Services of a connection in display order. The test of a service is named `part`, and the image host has none. */
const services = [
  { address: 'tokenPlanUrl', group: 'plan', part: 'gateway', example: 'https://gateway.example.com' },
  { address: 'consoleUrl', group: 'plan', part: 'console', example: 'https://console.example.com/api' },
  { address: 'identityApiUrl', group: 'platform', part: 'identity', example: 'https://iam.example.com/api/v1' },
  { address: 'runtimeApiUrl', group: 'platform', part: 'runtime', example: 'https://runtime.example.com' },
  { address: 'memoryApiUrl', group: 'platform', part: 'memory', example: 'https://memory.example.com' },
  { address: 'registryApiUrl', group: 'platform', part: 'registry', example: 'https://registry.example.com/api' },
  { address: 'aipApiUrl', group: 'platform', part: 'aip', example: 'https://models.example.com' },
  { address: 'inferenceUrl', group: 'platform', part: 'inference', example: 'https://inference.example.com/v1' },
  { address: 'registryHost', group: 'images', part: undefined, example: 'registry.example.com' },
] as const

/** Services by the groups of the form. */
export const serviceGroups = (['plan', 'platform', 'images'] as const).map((id) => ({
  id,
  services: services.filter(({ group }) => group === id),
}))

export const shownAddresses: readonly AddressKey[] = services.map(({ address }) => address)

const otherFields = ['name', 'signIn', 'tokenUrl', 'clientId', 'scope', 'program', 'args', 'secret', 'caFile'] as const

/** Form fields that can be focused after an error or by a failure's button. */
export type FieldName = AddressKey | (typeof otherFields)[number]

const fieldNames: readonly FieldName[] = [...shownAddresses, ...otherFields]

const aliases: Readonly<Record<string, FieldName>> = { pendingId: 'secret', command: 'program', tokenSource: 'signIn' }

/** Form field for a path in the contract, such as `addresses.consoleUrl`, `tokenSource.command.0` or `pendingId`. */
export function toFieldName(name: string | null | undefined): FieldName | undefined {
  const labels = (name ?? '').split('.').toReversed()
  return labels.flatMap((label) => aliases[label] ?? fieldNames.find((field) => field === label) ?? [])[0]
}

const emptyEntries: Entries = {
  name: '',
  kind: 'none',
  tokenUrl: '',
  clientId: '',
  scope: '',
  program: '',
  args: '',
  caFile: '',
  pending: undefined,
}

function sourceEntries(source: TokenSource | undefined): Partial<Entries> {
  if (!source) return {}
  if (source.kind === 'pasted') return { kind: 'pasted' }
  if (source.kind === 'command') {
    const [program = '', ...args] = source.command
    return { kind: 'command', program, args: args.join('\n') }
  }
  const { kind, tokenUrl, clientId, scope = '' } = source
  return { kind, tokenUrl, clientId, scope }
}

/** Form content for a connection or an imported file. Empty without one. */
export function toEntries(source?: ConnectionView | ConnectionDraft): Entries {
  if (!source) return emptyEntries
  const { name, addresses, tokenSource, caFile = '' } = source
  return { ...emptyEntries, ...addresses, name, caFile, ...sourceEntries(tokenSource) }
}

/** Program and arguments of a token command. Each non-empty line is one argument, passed without a shell. */
export const toCommand = ({ program, args }: Entries): readonly string[] => [
  program.trim(),
  ...args.split(/\r?\n/).filter((line) => line.trim() !== ''),
]

function toTokenSource(entries: Entries): TokenSource | undefined {
  const { kind } = entries
  if (kind === 'none') return undefined
  if (kind === 'pasted') return { kind }
  if (kind === 'command') return { kind, command: [...toCommand(entries)] }
  const scope = entries.scope.trim()
  return {
    kind,
    tokenUrl: entries.tokenUrl.trim(),
    clientId: entries.clientId.trim(),
    ...(scope === '' ? {} : { scope }),
  }
}

/** Whether a sign-in method needs a saved secret. */
export const needsSecret = (kind: SourceKind): kind is 'client-credentials' | 'pasted' =>
  kind === 'client-credentials' || kind === 'pasted'

/** Sign-in method of a connection, if that method needs a saved secret. Otherwise undefined. */
export function secretKind({ tokenSource }: ConnectionView): 'client-credentials' | 'pasted' | undefined {
  const kind = tokenSource?.kind ?? 'none'
  return needsSecret(kind) ? kind : undefined
}

/** Origin of a URL. Returns the text unchanged if it is no URL. */
const toOrigin = (text: string): string => (URL.canParse(text) ? new URL(text).origin : text.trim())

/** Whether the saved secret can be kept: the method still uses a pasted token, or the same client at the same host. */
export function keepsSecret({ tokenSource }: ConnectionView, entries: Entries): boolean {
  if (tokenSource?.kind !== entries.kind) return false
  if (tokenSource.kind !== 'client-credentials') return tokenSource.kind === 'pasted'
  const isSameHost = toOrigin(tokenSource.tokenUrl) === toOrigin(entries.tokenUrl)
  return isSameHost && tokenSource.clientId === entries.clientId.trim()
}

/** Input for saving. Omits empty addresses, and a secret that the sign-in method does not use. */
export function toConnectionInput(entries: Entries, id?: string): MethodInput<'connections.save'> {
  const tokenSource = toTokenSource(entries)
  const caFile = entries.caFile.trim()
  const filledAddresses = shownAddresses.filter((key) => entries[key]?.trim())
  return {
    ...(id === undefined ? {} : { id }),
    name: entries.name.trim(),
    addresses: Object.fromEntries(filledAddresses.map((key) => [key, entries[key]])),
    ...(tokenSource ? { tokenSource } : {}),
    ...(caFile === '' ? {} : { caFile }),
    ...(entries.pending && needsSecret(entries.kind) ? { pendingId: entries.pending.pendingId } : {}),
  }
}

/** Whether both forms would save the same connection. */
export const areEntriesEqual = (a: Entries, b: Entries): boolean =>
  JSON.stringify(toConnectionInput(a)) === JSON.stringify(toConnectionInput(b))

/** Required text fields of a sign-in method that are empty, and the name if it is. */
export const listMissingFields = ({ kind, ...entries }: Entries) =>
  (
    [
      'name',
      ...(kind === 'client-credentials' ? (['tokenUrl', 'clientId'] as const) : []),
      ...(kind === 'command' ? (['program'] as const) : []),
    ] as const
  ).filter((field) => entries[field].trim() === '')

export interface PartAddress {
  readonly part: ConnectionPart
  readonly address?: AddressKey
}

/** Parts of a connection that can be tested, in display order. */
export const parts: readonly PartAddress[] = [
  { part: 'token' },
  ...services.flatMap(({ part, address }) => (part === undefined ? [] : { part, address })),
]

export const partsSetUp = ({ tokenSource, addresses }: ConnectionView): readonly PartAddress[] =>
  parts.filter(({ address }) => (address ? addresses[address] : tokenSource))
