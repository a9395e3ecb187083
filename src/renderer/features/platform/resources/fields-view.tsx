import type { CapturedSecret, SavedSecret } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Copy, KeyRound, ShieldCheck, Trash2 } from 'lucide-react'
import { type ReactElement, type ReactNode, useState } from 'react'
import { CopyText } from '../../../copy-text'
import { formatDateTime, formatDuration, formatFileSize, formatNumber } from '../../../format'
import { useAction, useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { PlatformTime, RelativeTime } from '../../../relative-time'
import { useToastAction } from '../../../toast-actions'
import { StatusDot, type Tone } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { joinClassNames } from '../../../ui/cn'
import { QuietCode } from '../../../ui/code'
import { ConfirmDialog, Dialog, Sheet } from '../../../ui/dialog'
import { TextField } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { CardSection, RowSection } from '../../../ui/page'
import { SegmentedControl } from '../../../ui/radio-cards'
import { Row, RowIcon } from '../../../ui/rows'
import { closeWithToast, toast } from '../../../ui/toast'
import { useWindowState } from '../../../window-state'
import { getFieldLabel, isPrimitive, toText } from './lookup'
import type { Format, Json, ResourceSubject } from './resource'
import { useService } from './service-gate'

const t = i18next.getFixedT(null, ['resources', 'common'])

const views = ['fields', 'json'] as const

export const preTextClass = 'select-text overflow-auto whitespace-pre-wrap leading-4.5 wrap-anywhere'

/** Shows a value as JSON, with secrets masked. */
export function RawJson({ data }: { readonly data: Json }) {
  const text = JSON.stringify(data, undefined, 2)
  return (
    <div className="relative">
      <span className="absolute -top-1 -right-1.5">
        <CopyText text={text} label={t('common:copyNamed', { what: 'JSON' })} />
      </span>
      <pre className={preTextClass}>{text}</pre>
    </div>
  )
}

const unnamedToken = { kind: 'token', name: '' } as const

export function FieldsView(props: {
  readonly data: Json | undefined
  readonly secrets?: readonly CapturedSecret[] | undefined
  /** Name and kind under which a secret is saved. */
  readonly keepAs?: Pick<SavedSecret, 'kind' | 'name'>
  /** Additional buttons next to a secret. */
  readonly secretActions?: ((secret: CapturedSecret) => ReactNode) | undefined
}) {
  const { data = {}, secrets = [], keepAs = unnamedToken, secretActions } = props
  const [view, setView] = useState<(typeof views)[number]>('fields')
  return (
    <CardSection
      title={t('allFields')}
      actions={
        <SegmentedControl
          label={t('viewAs')}
          value={view}
          onValueChange={setView}
          segments={views.map((value) => ({ value, label: t(`views.${value}`) }))}
        />
      }
    >
      {view === 'json' ? (
        <RawJson data={data} />
      ) : (
        <FieldsTree
          data={data}
          secrets={secrets}
          renderSecret={(secret) => <SecretButtons {...{ secret, keepAs }}>{secretActions?.(secret)}</SecretButtons>}
        />
      )}
    </CardSection>
  )
}

/** Number of list entries before "show more". */
const initialRows = 50

interface TreeProps {
  readonly data: Json
  /** Secrets that are masked in `data`. Their positions are JSON pointers. */
  readonly secrets?: readonly CapturedSecret[]
  readonly renderSecret?: (secret: CapturedSecret) => ReactNode
}

interface NodeProps extends Required<TreeProps> {
  readonly name: string
  readonly at: string
  readonly depth: number
}

const timestampPattern = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/

/** Maximum number of characters up to which a list of plain values is shown on one line. */
const maxLineLength = 100

const isLeaf = (value: Json): boolean =>
  typeof value !== 'object' ||
  toText(value) === '' ||
  (Array.isArray(value) && value.every(isPrimitive) && toText(value).length <= maxLineLength)

function Leaf({ name, data, at, secrets, renderSecret }: NodeProps) {
  const secret = secrets.find((candidate) => candidate.at === at)
  const text = toText(data)
  const isTimestamp = typeof data === 'string' && timestampPattern.test(data) && !Number.isNaN(Date.parse(data))
  return (
    <li
      className={joinClassNames(
        'grid min-h-8.5 grid-cols-[110px_minmax(0,1fr)_auto] items-center gap-3 py-0.75',
        '@min-[480px]:grid-cols-[minmax(110px,200px)_minmax(0,1fr)_auto]',
      )}
    >
      <span className="text-muted wrap-anywhere" title={at}>
        {getFieldLabel(name)}
      </span>
      <span className="flex min-w-0 select-text flex-wrap items-baseline gap-x-2.5">
        {text === '' ? (
          <span className="text-muted">{data === null ? 'null' : t('resources:emptyValue')}</span>
        ) : (
          <QuietCode wrap>{withVisibleControls(text)}</QuietCode>
        )}
        {isTimestamp ? <span className="text-faint text-sm">{formatDateTime(text)}</span> : null}
      </span>
      {secret ? (
        renderSecret(secret)
      ) : text === '' ? null : (
        <CopyText text={text} label={t('common:copyNamed', { what: name })} />
      )}
    </li>
  )
}

function Branch(props: NodeProps) {
  const { name, data, depth, at } = props
  const [isOpen, setIsOpen] = useState(depth < 2)
  const count = Object.keys(data ?? {}).length
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary
          className={joinClassNames(
            'flex min-h-8.5 items-center gap-2.5 rounded-sm before:mr-px before:ml-0.75 before:size-1.25',
            'before:-rotate-45 before:border-r-[1.5px] before:border-b-[1.5px] before:border-faint [details[open]>&]:before:rotate-45',
          )}
        >
          <span className="text-muted wrap-anywhere" title={at}>
            {getFieldLabel(name)}
          </span>
          <span className="text-faint text-sm">{t(Array.isArray(data) ? 'entries' : 'fields', { count })}</span>
        </summary>
        {isOpen ? <Level {...props} className="mb-1 ml-1.25 border-l pl-3.5" /> : null}
      </details>
    </li>
  )
}

function Level(props: Omit<NodeProps, 'name'> & { readonly className?: string }) {
  const { data, at, depth, className, ...secretProps } = props
  const [isComplete, setIsWhole] = useState(false)
  // Other values than objects and lists are leaves.
  const allFields: readonly (readonly [string, Json])[] = Object.entries(data ?? {})
  const shownFields = isComplete ? allFields : allFields.slice(0, initialRows)
  return (
    <ul className={joinClassNames('flex flex-col divide-y', className)}>
      {shownFields.map(([name, value]) => {
        const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        const props = { ...secretProps, name, data: value, at: pointer, depth: depth + 1 }
        return isLeaf(value) ? <Leaf key={name} {...props} /> : <Branch key={name} {...props} />
      })}
      {shownFields.length < allFields.length ? (
        <li className="py-1">
          <Button size="sm" variant="ghost" onClick={() => setIsWhole(true)}>
            {t('showAll', { count: allFields.length })}
          </Button>
        </li>
      ) : null}
    </ul>
  )
}

/** Tree of all fields, known or not, with the server's names. */
export function FieldsTree({ data, secrets = [], renderSecret = () => null }: TreeProps) {
  const props = { data, secrets, renderSecret, at: '', depth: 0 }
  if (typeof data !== 'object' || data === null)
    return (
      <ul>
        <Leaf name={t('answer')} {...props} />
      </ul>
    )
  if (Object.keys(data).length === 0) return <p className="text-muted">{t('noFields')}</p>
  return (
    <div className="@container -my-1.5">
      <Level {...props} />
    </div>
  )
}

export function FieldsSheet(props: {
  readonly subject: Pick<ResourceSubject, 'row' | 'name' | 'secrets'>
  readonly onClose: () => void
}) {
  const { row, name, secrets } = props.subject
  const title = name === '' ? t('resources:unnamed') : name
  return (
    <Sheet onClose={props.onClose} title={title} footer={[{ label: t('common:close'), onClick: props.onClose }]}>
      <FieldsView data={row} keepAs={{ kind: 'token', name: title }} secrets={secrets} />
    </Sheet>
  )
}

/** Color of a status by its probable meaning, because the platform only defines the states of API keys. */
const tones: readonly (readonly [RegExp, Tone])[] = [
  [/^(active|ready|running|available|enabled|healthy|succeeded|ok)$/i, 'success'],
  [/(ing|pending|queued)$/i, 'warning'],
  [/(fail|error|expired|revoked|unhealthy)/i, 'danger'],
]

/** A long value in a monospaced font. If truncated, the end stays visible, because an image address ends with the tag. */
function CodeValue({ text }: { readonly text: string }) {
  const [, path, image] = /^(.+\/)([^/]+:[\w.-]+)$/.exec(text) ?? []
  if (path === undefined || image === undefined) return <QuietCode>{text}</QuietCode>
  return (
    <span className="inline-flex min-w-0 max-w-full [&>:last-child]:flex-none" title={text}>
      <span className="inline-flex min-w-0 shrink">
        <QuietCode>{path}</QuietCode>
      </span>
      <QuietCode>{image}</QuietCode>
    </span>
  )
}

/** Statuses of the platform with a translation. Others appear as the platform names them. */
const translatedStatuses = ['ACTIVE', 'CREATING', 'UPDATING', 'DELETING', 'FAILED'] as const

export function FieldValue({ value, format = 'text' }: { readonly value: Json | undefined; readonly format?: Format }) {
  const text = withVisibleControls(toText(value))
  if (text === '') return <span title={t('missing')}>–</span>
  if (format === 'status') {
    const status = translatedStatuses.find((known) => known === text)
    return (
      <StatusDot
        tone={tones.find(([pattern]) => pattern.test(text))?.[1] ?? 'neutral'}
        label={status === undefined ? text : t(`statuses.${status}`)}
        pulse={/ing$/i.test(text)}
      />
    )
  }
  if (format === 'date' && /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)))
    return <PlatformTime at={new Date(text).toISOString()} />
  if (format === 'bytes' && typeof value === 'number')
    return <span title={formatNumber(value)}>{formatFileSize(value)}</span>
  if (format === 'code') return <CodeValue text={text} />
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (format === 'number' && typeof value === 'number') return formatNumber(value)
  return <span title={text}>{text}</span>
}

/** Copies a secret, and shows when the clipboard is cleared. */
function useCopyAction<N extends 'resources.copySecret' | 'resources.copyKept'>(name: N, onCopied?: () => void) {
  return useToastAction<N>(name, {
    onSuccess: ({ clearsAfterMs }) => {
      onCopied?.()
      void toast(t('secret.copied'), { description: t('secret.copiedHint', { time: formatDuration(clearsAfterMs) }) })
    },
  })
}

interface SecretButtonsProps {
  readonly secret: CapturedSecret
  /** Default name, and kind, under which the secret is saved. */
  readonly keepAs: Pick<SavedSecret, 'kind' | 'name'>
  readonly children?: ReactNode
  /** Called after the secret was saved. If set, no toast is shown. */
  readonly onKept?: (keptSecret: SavedSecret) => void
}

/** Buttons that copy a secret or save it in the keychain. The main process has the secret, the window never shows it. */
function SecretButtons({ secret, keepAs, children, onKept }: SecretButtonsProps) {
  const [isKeeping, setIsKeeping] = useState(false)
  const [, setSavedHandles] = useSavedHandles()
  const markSaved = (): void => setSavedHandles((handles) => new Set([...handles, secret.handle]))
  const copySecretAction = useCopyAction('resources.copySecret', markSaved)
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Button
        size="sm"
        icon={Copy}
        busy={copySecretAction.isPending}
        onClick={() => copySecretAction.mutate({ handle: secret.handle })}
      >
        {t('secret.copy')}
      </Button>
      <Button size="sm" icon={KeyRound} onClick={() => setIsKeeping(true)}>
        {t('secret.keep')}
      </Button>
      {children}
      {isKeeping ? (
        <SaveSecretDialog
          {...{ secret, keepAs }}
          onClose={() => setIsKeeping(false)}
          onKept={(keptSecret) => {
            setIsKeeping(false)
            markSaved()
            if (onKept) onKept(keptSecret)
            else void toast(t('secret.kept', { name: keptSecret.name }), { description: t('secret.keptHint') })
          }}
        />
      ) : null}
    </span>
  )
}

const maxNameLength = 200

function SaveSecretDialog(
  props: Required<Pick<SecretButtonsProps, 'secret' | 'keepAs' | 'onKept'>> & { readonly onClose: () => void },
) {
  const { secret, keepAs, onClose, onKept } = props
  const connectionId = useService().connection.id
  const refreshSavedSecrets = useRefreshSavedSecrets()
  const [name, setName] = useState(keepAs.name)
  const { data: keptSecrets = [] } = useCall('resources.keptSecrets', { connectionId })
  const saveSecret = useAction('resources.keepSecret', {
    onSuccess: (newSecret) => {
      refreshSavedSecrets()
      onKept(newSecret)
    },
  })
  const trimmedName = name.trim()
  const isNameTaken = keptSecrets.some((saved) => saved.name === trimmedName && saved.kind === keepAs.kind)
  const save = (): void => {
    if (trimmedName === '' || saveSecret.isPending) return
    saveSecret.mutate({ handle: secret.handle, connectionId, kind: keepAs.kind, name: trimmedName })
  }
  return (
    <Dialog
      size="sm"
      onClose={onClose}
      title={t('secret.keepTitle')}
      description={t('secret.keepText')}
      mutation={saveSecret}
      action={{ label: t('secret.keep'), onSubmit: save, disabled: trimmedName === '' }}
    >
      <TextField
        label={t('secret.name')}
        hint={isNameTaken ? t('secret.taken') : t('secret.nameHint')}
        required
        mono
        autoFocus
        maxLength={maxNameLength}
        value={name}
        onChange={setName}
      />
    </Dialog>
  )
}

export interface CapturedSecretsProps extends Pick<SecretButtonsProps, 'keepAs' | 'onKept'> {
  readonly secrets: readonly CapturedSecret[]
  readonly actions?: (secret: CapturedSecret) => ReactNode
  /** Notice that the response has no secret. */
  readonly noSecret?: string
}

export function CapturedSecrets({ secrets, keepAs, actions, onKept, noSecret }: CapturedSecretsProps) {
  const [keptSecret, setKeptSecret] = useState<SavedSecret>()
  if (secrets.length === 0) return noSecret === undefined ? null : <Callout tone="info" title={noSecret} />
  return (
    <section
      className="flex flex-col gap-2.5 rounded-lg border border-accent-line bg-accent-soft px-4 py-3.5"
      aria-label={t('secret.title')}
    >
      <p className="flex gap-2 leading-4.75 [&>svg]:mt-0.5 [&>svg]:text-accent-text">
        <ShieldCheck size={15} strokeWidth={1.8} />
        {t('secret.hint')}
      </p>
      <ul className="flex flex-col gap-2">
        {secrets.map((secret) => (
          <li key={secret.handle} className="flex flex-wrap items-center gap-2">
            <KeyRound size={15} strokeWidth={1.8} />
            <span className="min-w-0 flex-[1_1_140px] wrap-anywhere">
              <span title={secret.at}>{secret.at.split('/').filter(Boolean).map(getFieldLabel).join(' · ')}</span>{' '}
              <QuietCode>{secret.masked}</QuietCode>
            </span>
            <SecretButtons
              {...{ secret, keepAs }}
              onKept={(newSecret) => {
                setKeptSecret(newSecret)
                onKept?.(newSecret)
              }}
            >
              {actions?.(secret)}
            </SecretButtons>
          </li>
        ))}
      </ul>
      {keptSecret ? (
        <p className="text-success text-sm" role="status">
          {t('secret.keptAs', { name: keptSecret.name })}
        </p>
      ) : null}
    </section>
  )
}

function SavedSecretRow(props: { readonly kept: SavedSecret; readonly action: ReactElement | undefined }) {
  const { id, name, masked, keptAt } = props.kept
  const [isAsking, setIsAsking] = useState(false)
  const refreshSavedSecrets = useRefreshSavedSecrets()
  const copySecretAction = useCopyAction('resources.copyKept')
  const forgetSecret = useAction('resources.forgetKept', {
    onSuccess: () => {
      refreshSavedSecrets()
      closeWithToast(() => setIsAsking(false), t('secret.forgotten', { name }))
    },
  })
  return (
    <>
      <Row
        leading={<RowIcon icon={KeyRound} />}
        title={name}
        description={[<QuietCode key="masked">{masked}</QuietCode>, <RelativeTime key="at" at={keptAt} />]}
        trailing={[
          props.action,
          {
            label: t('secret.copy'),
            icon: Copy,
            busy: copySecretAction.isPending,
            onClick: () => copySecretAction.mutate({ id }),
          },
          <IconButton
            key="forget"
            icon={Trash2}
            size="sm"
            label={t('secret.forgetNamed', { name })}
            onClick={() => setIsAsking(true)}
          />,
        ]}
      />
      {isAsking ? (
        <ConfirmDialog
          onClose={() => setIsAsking(false)}
          title={t('secret.forgetTitle', { name })}
          description={t('secret.forgetText')}
          confirmLabel={t('secret.forget')}
          danger
          mutation={forgetSecret}
          onConfirm={() => forgetSecret.mutate({ id })}
        />
      ) : null}
    </>
  )
}

/** List of a connection's saved secrets of one kind. Renders nothing if there are none. */
export function SavedSecretList(props: {
  readonly secretKind: SavedSecret['kind']
  readonly description: string
  readonly renderAction?: (keptSecret: SavedSecret) => ReactElement
}) {
  const { secretKind, description, renderAction } = props
  const connectionId = useService().connection.id
  const secretsQuery = useCall('resources.keptSecrets', { connectionId })
  return (
    <Loaded query={secretsQuery} rows={1}>
      {(keptSecrets) => {
        const ownSecrets = keptSecrets.filter(({ kind }) => kind === secretKind)
        if (ownSecrets.length === 0) return null
        return (
          <RowSection title={t('secret.keptTitle')} description={description}>
            {ownSecrets.map((keptSecret) => (
              <SavedSecretRow key={keptSecret.id} kept={keptSecret} action={renderAction?.(keptSecret)} />
            ))}
          </RowSection>
        )
      }}
    </Loaded>
  )
}

const noHandles: ReadonlySet<string> = new Set()

/** Handles of secrets that were copied or saved. Closing a form with another one-time secret requires a confirmation. */
export const useSavedHandles = () => useWindowState('resources.savedSecrets', noHandles)

/** Reloads only the list of saved secrets. */
function useRefreshSavedSecrets(): () => void {
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ queryKey: ['resources.keptSecrets'] })
}
