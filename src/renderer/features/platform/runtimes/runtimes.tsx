import type { ResourceAnswer } from '@shared/contract'
import { endpointAddressNames } from '@shared/endpoint-fields'
import i18next from 'i18next'
import { History, KeyRound, Package, PencilLine, Server } from 'lucide-react'
import { useState } from 'react'
import { useCall } from '../../../ipc'
import { checkPath, runtimesPath } from '../../../paths'
import { Button } from '../../../ui/button'
import { Dialog, Sheet } from '../../../ui/dialog'
import { EmptyState } from '../../../ui/page'
import { SearchField } from '../../../ui/search-field'
import { images, repositories } from '../registry/repositories'
import {
  type ActionDialogProps,
  AnswerView,
  actionTexts,
  buildTab,
  ConfirmCall,
  createdColumn,
  creation,
  deletion,
  type FormField,
  findField,
  findIdentifier,
  isObject,
  isPrimitive,
  type Json,
  LoadedResource,
  nameField,
  normalizeName,
  type Resource,
  type ResourceAction,
  type ResourceColumn,
  type ResourceSubject,
  readField,
  readName,
  readRows,
  replicas,
  resourceText,
  type Section,
  searchedRows,
  sortNewestFirst,
  statusColumn,
  threshold,
  toText,
  updatedColumn,
  useService,
} from '../resources'

const t = i18next.getFixedT(null, ['runtimes', 'common'])

/** Names of fields that may contain each value, most preferred first. The spec does not define them (decision 5). */
export const names = {
  name: ['name', 'runtimeName', 'displayName', 'title'],
  image: ['image', 'imageUrl', 'imageUri', 'containerImage', 'imageName'],
  flavor: ['flavorId', 'flavor', 'flavourId', 'flavour', 'instanceType', 'flavorName'],
  replicas: ['replicas', 'replicaCount', 'replica', 'instances'],
  cpuThreshold: ['cpuUtilizationThreshold', 'cpuThreshold', 'targetCpuUtilization', 'cpuPercent'],
  memoryThreshold: ['memoryUtilizationThreshold', 'memoryThreshold', 'targetMemoryUtilization', 'memoryPercent'],
  version: ['version', 'versionNumber', 'runtimeVersion', 'revision', 'number'],
  clientId: ['clientId', 'serviceAccountId', 'serviceAccount.clientId', 'iamClientId'],
  environment: ['environment', 'env', 'environmentVariables', 'envVars', 'variables'],
  url: endpointAddressNames,
} as const

/** Reads the version in a row as text. Undefined if it has none. */
export function readVersion(row: Json | undefined): string | undefined {
  const value = readField(row, names.version)
  return isPrimitive(value) && value !== '' ? String(value) : undefined
}

/** Fields of a new runtime. The spec does not define the body's field names (decisions 5). */
const newFields: readonly FormField[] = [
  { ...nameField, placeholder: 'support-agent', from: names.name },
  {
    id: 'image',
    kind: 'text',
    isCode: true,
    isRequired: true,
    placeholder: 'registry.example.com/team/support-agent:1.0.0',
    help: 'runtimes:fields.imageHelp',
    from: names.image,
    Picker: ImagePicker,
  },
  {
    id: 'flavorId',
    kind: 'select',
    label: 'runtimes:fields.flavor',
    help: 'runtimes:fields.flavorHelp',
    options: {
      operation: 'runtime.flavors.list',
      names: ['id', 'flavorId', 'code', 'uuid', 'name'],
      isUnpaged: true,
      describe: describeFlavor,
    },
    from: names.flavor,
  },
  { id: 'replicas', kind: 'number', rule: replicas, initial: '1', from: names.replicas },
  {
    id: 'cpuUtilizationThreshold',
    kind: 'number',
    rule: threshold,
    initial: '70',
    help: 'runtimes:fields.thresholdHelp',
    from: names.cpuThreshold,
  },
  {
    id: 'memoryUtilizationThreshold',
    kind: 'number',
    rule: threshold,
    initial: '70',
    help: 'runtimes:fields.thresholdHelp',
    from: names.memoryThreshold,
  },
  {
    id: 'environment',
    kind: 'rows',
    rows: {
      format: 'object',
      addLabel: 'runtimes:variables.add',
      columns: [
        { id: 'name', isCode: true, isRequired: true },
        { id: 'value', label: 'runtimes:variables.value', isCode: true, canPasteSecret: true },
      ],
    },
    isOptional: true,
    help: 'runtimes:variables.help',
    from: names.environment,
  },
]

/**
 * Form fields for updating a runtime: those of a new one, with current values and the server's field names. The
 * runtime's missing values are not sent. Variables that the form cannot edit remain in the JSON.
 */
const changeFields = (row: Json, secrets: ResourceSubject['secrets'] = []): readonly FormField[] =>
  newFields.flatMap((field): FormField | readonly FormField[] => {
    const matchedFields = findField(row, field.from ?? [field.id])
    const { isRequired: _, ...rest } = field
    if (field.rows) {
      if (!matchedFields) return rest
      const [at, value] = matchedFields
      const initial = readRows(value, field.rows, { secrets, at })
      return initial ? { ...rest, initial, at: [at] } : []
    }
    if (!matchedFields || !isPrimitive(matchedFields[1])) return { ...rest, initial: '' }
    return { ...rest, initial: toText(matchedFields[1]), at: [matchedFields[0]] }
  })

/** Action that updates a runtime, which creates a new version of it. */
const updateRuntime: ResourceAction = {
  operation: 'runtime.agentRuntimes.update',
  ...actionTexts('runtimes:update'),
  text: 'runtimes:update.text',
  confirm: 'runtimes:update.confirm',
  icon: PencilLine,
  isMain: true,
  listFields: ({ row, secrets }) => changeFields(row, secrets),
  takesJson: true,
}

/** The new secret of the service account is returned only once. */
export const resetServiceAccount: ResourceAction = {
  operation: 'runtime.agentRuntimes.resetServiceAccount',
  ...actionTexts('runtimes:reset'),
  confirm: 'runtimes:reset.confirm',
  icon: KeyRound,
  isDanger: true,
  wantsName: true,
  breaks: ['runtimes:reset.breaksContainers', 'runtimes:reset.breaksCopies', 'runtimes:reset.noReturn'],
  secretKind: 'serviceAccount',
  Dialog: ResetDialog,
}

function ResetDialog(props: ActionDialogProps) {
  const { subject, onClose } = props
  const [answer, setAnswer] = useState<ResourceAnswer>()
  if (answer)
    return (
      <Sheet
        onClose={onClose}
        title={resourceText(resetServiceAccount.done, subject.name)}
        description={t('runtimes:reset.toldOnce')}
        footer={[{ label: t('common:close'), variant: 'primary', onClick: onClose }]}
      >
        <AnswerView
          answer={answer}
          keepAs={{ kind: 'serviceAccount', name: subject.name }}
          noSecret={t('runtimes:reset.noSecret')}
        />
      </Sheet>
    )
  return <ConfirmCall {...props} onDone={setAnswer} />
}

const imageColumn: ResourceColumn = { names: names.image, format: 'code', width: 'minmax(160px, 2.4fr)' }

const flavorColumn: ResourceColumn = { header: 'runtimes:fields.flavor', names: names.flavor, width: '130px' }

const replicasColumn: ResourceColumn = { names: names.replicas, format: 'number', width: '80px' }

export const versionColumn: ResourceColumn = { names: names.version, format: 'number', width: '84px' }

/** Runtimes (spec, "Runtime"). */
export const runtimes: Resource = {
  address: 'runtimeApiUrl',
  icon: Server,
  at: runtimesPath,
  texts: 'runtimes:',
  list: { operation: 'runtime.agentRuntimes.list' },
  get: { operation: 'runtime.agentRuntimes.get' },
  identifier: { names: ['id', 'runtimeId', 'agentRuntimeId', 'uuid', 'name'], param: 'id' },
  naming: names.name,
  columns: [
    statusColumn,
    { ...imageColumn, from: 710 },
    { ...flavorColumn, from: 920 },
    { ...replicasColumn, from: 790 },
    versionColumn,
    { ...updatedColumn, names: [...updatedColumn.names, ...createdColumn.names], from: 560 },
  ],
  create: creation('runtimes:', { operation: 'runtime.agentRuntimes.create', fields: newFields }),
  actions: [
    updateRuntime,
    resetServiceAccount,
    deletion({
      operation: 'runtime.agentRuntimes.delete',
      breaks: ['runtimes:delete.breaksEndpoints', 'runtimes:delete.breaksAccount', 'runtimes:delete.breaksRest'],
    }),
  ],
}

/** Fields that describe a flavor, such as its memory. The unit is shown if the field name contains it. */
const flavorFacts: readonly { readonly names: readonly string[]; readonly say: (value: string) => string }[] = [
  { names: ['vCPU', 'vCpus', 'cpu', 'cpus', 'cores'], say: (value) => t('runtimes:flavor.cpu', { value }) },
  { names: ['memoryGiB', 'ramGiB'], say: (value) => `${value} GiB` },
  { names: ['memoryGB', 'ramGB'], say: (value) => `${value} GB` },
  { names: ['memoryMiB', 'ramMiB'], say: (value) => `${value} MiB` },
  { names: ['memoryMB', 'ramMB'], say: (value) => `${value} MB` },
  { names: ['memory', 'ram'], say: (value) => t('runtimes:flavor.memory', { value }) },
  { names: ['gpu', 'gpus', 'gpuCount'], say: (value) => t('runtimes:flavor.gpu', { value }) },
  { names: ['pricePerHour', 'hourlyPrice'], say: (value) => t('runtimes:flavor.perHour', { value }) },
]

/** Name and facts of a flavor (size) of a runtime. */
function describeFlavor(row: Json, id: string): string {
  const facts = flavorFacts.flatMap(({ names, say }) => {
    const value = readField(row, names)
    return isPrimitive(value) ? [say(String(value))] : []
  })
  return [toText(readField(row, ['name', 'displayName', 'title', 'label'])) || id, ...facts].join(' · ')
}

export interface OpenRuntime {
  readonly runtimeId: string
  readonly subject: ResourceSubject
}

export const runtimesSection: Section = {
  name: 'runtimes',
  tabs: [buildTab(runtimes), { to: checkPath, label: 'runtimes:check.tab' }],
}

/** Versions of a runtime. Spec: "each PATCH of a runtime creates a new version". */
export const versions: Resource = {
  address: 'runtimeApiUrl',
  icon: History,
  at: '/runtimes/:id/versions',
  texts: 'runtimes:versions.',
  nameHeader: 'runtimes:fields.version',
  list: { operation: 'runtime.versions.list' },
  identifier: { names: [...names.version, 'id', 'uuid'], param: 'version' },
  naming: [...names.version, 'id', 'uuid'],
  columns: [imageColumn, { ...flavorColumn, from: 800 }, replicasColumn, createdColumn],
  actions: [],
}

export interface Version {
  readonly number: string
  readonly row: Json
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sortKeys(inner)]))
}

/** JSON with sorted keys, so that a diff ignores their order. */
export const versionText = ({ row }: Version): string => JSON.stringify(sortKeys(row), undefined, 2)

/** Metadata that differs between any two versions. */
const versionFields = new Set(
  [...versions.identifier.names, ...createdColumn.names, ...updatedColumn.names, ...statusColumn.names].map(
    normalizeName,
  ),
)

/** Fields that differ between two versions, without version metadata. */
export function changedFields(versionBefore: Version, versionAfter: Version) {
  const [older, newer] = [versionBefore.row, versionAfter.row].map((row) => (isObject(row) ? row : {}))
  return [...new Set([...Object.keys(older ?? {}), ...Object.keys(newer ?? {})])].flatMap((name) => {
    const [was, is] = [toText(older?.[name]), toText(newer?.[name])]
    return was === is || versionFields.has(normalizeName(name)) ? [] : [{ name, was, is }]
  })
}

/** All rows of a list of a runtime. Reloads whenever platform data is invalidated. */
export const useAllRows = (operation: string, runtimeId: string) =>
  useCall('resources.every', {
    connectionId: useService().connection.id,
    operation,
    path: { id: runtimeId },
    size: 100,
  })

/** Loads all versions of a runtime, newest first. Omits rows without a version number. */
export function useVersions(runtimeId: string) {
  const query = useAllRows('runtime.versions.list', runtimeId)
  const versions = (query.data?.rows ?? []).flatMap((row): Version[] => {
    const number = readVersion(row)
    return number === undefined ? [] : [{ number, row }]
  })
  const areNumbers = versions.every(({ number }) => Number.isFinite(Number(number)))
  const all = areNumbers ? versions.toSorted((a, b) => Number(b.number) - Number(a.number)) : versions
  return { ...query, all }
}

/** Names of fields that may contain a repository's address, most preferred first. The spec does not define them. */
const addressNames = ['uri', 'repositoryUri', 'url', 'repositoryUrl', ...repositories.naming]

/** Maximum number of images in the list. The user can type the address of any other image. */
const maxImages = 100

function RegistryList(props: {
  /** Repository whose images are listed. Undefined lists all repositories. */
  readonly of: Json | undefined
  readonly onPick: (row: Json) => void
}) {
  const { of, onPick } = props
  const [text, setText] = useState('')
  const resource = of === undefined ? repositories : images
  const list = of === undefined ? 'repositories' : 'images'
  const query = useCall('resources.page', {
    connectionId: useService().connection.id,
    operation: resource.list.operation,
    size: maxImages,
    ...(of !== undefined && {
      path: { repoId: findIdentifier(of, repositories.identifier.names) ?? '' },
      query: { name: '' },
    }),
  })
  return (
    <LoadedResource query={query} address={resource.address}>
      {({ rows, totalItems = 0 }) => {
        if (rows.length === 0) {
          return (
            <EmptyState icon={resource.icon} title={t(of === undefined ? 'pick.noRepositories' : 'pick.noImages')}>
              {t('pick.noneText')}
            </EmptyState>
          )
        }
        const foundRows = searchedRows(sortNewestFirst(rows, resource.list.newestBy), text)
        return (
          <div className="grid gap-3">
            <SearchField
              label={t('pick.search')}
              value={text}
              onChange={setText}
              found={{ shown: foundRows.length, count: rows.length }}
            />
            <ul className="divide-y rounded-md border" aria-label={t(`pick.${list}`)}>
              {foundRows.map((row) => {
                const name = readName(row, resource)
                return (
                  <li key={name}>
                    <button
                      type="button"
                      className="flex w-full items-center gap-2 px-3 py-2 text-left font-mono text-sm hover:bg-hover"
                      onClick={() => onPick(row)}
                    >
                      <resource.icon size={15} strokeWidth={1.8} className="flex-none text-faint" />
                      <span className="min-w-0 break-all">{name}</span>
                    </button>
                  </li>
                )
              })}
            </ul>
            {totalItems > rows.length ? (
              <p className="text-muted text-sm">{t('pick.more', { max: maxImages })}</p>
            ) : null}
          </div>
        )
      }}
    </LoadedResource>
  )
}

/** Lets the user select an image from the registry, and writes its address into the form field above. */
function ImagePicker({ onPick }: { readonly onPick: (address: string) => void }) {
  const { connection } = useService()
  const [isOpen, setIsOpen] = useState(false)
  const [repository, setRepository] = useState<Json>()
  if (connection.addresses.registryApiUrl === undefined) return null
  const show = (open: boolean): void => {
    setRepository(undefined)
    setIsOpen(open)
  }
  const pickImage = (row: Json): void => {
    if (repository === undefined) return void setRepository(row)
    const name = readName(row, images)
    const address = toText(readField(repository, addressNames)).replace(/^https?:\/\//, '')
    // Image reference: repository with tag or digest, unless the name is complete.
    onPick(name.includes('/') ? name : `${address}${name.startsWith('sha256:') ? '@' : ':'}${name}`)
    show(false)
  }
  return (
    <div className="mt-2">
      <Button size="sm" icon={Package} onClick={() => show(true)}>
        {t('pick.label')}
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => show(false)}
        title={repository === undefined ? t('pick.title') : readName(repository, repositories)}
        description={t(repository === undefined ? 'pick.repositoryText' : 'pick.imageText')}
        footer={[repository !== undefined && { label: t('pick.back'), onClick: () => setRepository(undefined) }]}
      >
        {isOpen ? <RegistryList key={toText(repository)} of={repository} onPick={pickImage} /> : null}
      </Dialog>
    </div>
  )
}
