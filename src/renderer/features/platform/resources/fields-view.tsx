import type { CapturedSecret, SavedSecret } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../../copy-text'
import { formatFileSize, useFormats } from '../../../format'
import { PlatformTime } from '../../../relative-time'
import { StatusDot, type Tone } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { Code } from '../../../ui/code'
import { Sheet } from '../../../ui/dialog'
import { Card, Section } from '../../../ui/page'
import { SegmentedControl } from '../../../ui/radio-cards'
import { isPrimitive, toText, useFieldNames } from './lookup'
import type { Format, Json, ResourceSubject } from './resource'
import { SecretButtons } from './secret-buttons'

const views = ['fields', 'json'] as const

export const preTextClass = 'select-text overflow-auto whitespace-pre-wrap leading-4.5 wrap-anywhere'

/** Shows a value as JSON, with secrets masked. */
export function RawJson({ data }: { readonly data: Json }) {
  const { t } = useTranslation(['resources', 'common'])
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
  const { t } = useTranslation('resources')
  const [view, setView] = useState<(typeof views)[number]>('fields')
  return (
    <Section
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
      <Card>
        {view === 'json' ? (
          <RawJson data={data} />
        ) : (
          <FieldsTree
            data={data}
            secrets={secrets}
            renderSecret={(secret) => <SecretButtons {...{ secret, keepAs }}>{secretActions?.(secret)}</SecretButtons>}
          />
        )}
      </Card>
    </Section>
  )
}

/** Fields of an object, or entries of a list by their index. */
const listEntries = (data: Json): readonly (readonly [string, Json])[] =>
  typeof data === 'object' && data !== null ? Object.entries(data) : []

/** Number of list entries before "show more". */
const initialRows = 50

interface TreeProps {
  readonly data: Json
  /** Secrets that are masked in `data`. Their positions are JSON pointers. */
  readonly secrets?: readonly CapturedSecret[]
  readonly renderSecret?: ((secret: CapturedSecret) => ReactNode) | undefined
}

interface NodeProps extends TreeProps {
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

function Leaf({ name, data, at, secrets = [], renderSecret }: NodeProps) {
  const { t } = useTranslation(['resources', 'common'])
  const { dateTime } = useFormats()
  const getFieldName = useFieldNames()
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
        {getFieldName(name)}
      </span>
      <span className="flex min-w-0 select-text flex-wrap items-baseline gap-x-2.5">
        {text === '' ? (
          <span className="text-muted">{data === null ? 'null' : t('resources:emptyValue')}</span>
        ) : (
          <Code quiet wrap>
            {withVisibleControls(text)}
          </Code>
        )}
        {isTimestamp ? <span className="text-faint text-sm">{dateTime(text)}</span> : null}
      </span>
      {secret && renderSecret ? (
        renderSecret(secret)
      ) : text === '' || secret ? null : (
        <CopyText text={text} label={t('common:copyNamed', { what: name })} />
      )}
    </li>
  )
}

function Branch(props: NodeProps) {
  const { t } = useTranslation('resources')
  const getFieldName = useFieldNames()
  const { name, data, depth, at } = props
  const [isOpen, setIsOpen] = useState(depth < 2)
  const count = listEntries(data).length
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
            {getFieldName(name)}
          </span>
          <span className="text-faint text-sm">{t(Array.isArray(data) ? 'entries' : 'fields', { count })}</span>
        </summary>
        {isOpen ? <Level {...props} className="mb-1 ml-1.25 border-l pl-3.5" /> : null}
      </details>
    </li>
  )
}

function Level(props: Omit<NodeProps, 'name'> & { readonly className?: string }) {
  const { data, at, depth, secrets = [], renderSecret, className } = props
  const { t } = useTranslation('resources')
  const [isComplete, setIsWhole] = useState(false)
  const allFields = listEntries(data)
  const shownFields = isComplete ? allFields : allFields.slice(0, initialRows)
  return (
    <ul className={joinClassNames('flex flex-col divide-y', className)}>
      {shownFields.map(([name, value]) => {
        const pointer = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        const props = { name, data: value, at: pointer, depth: depth + 1, secrets, renderSecret }
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
export function FieldsTree({ data, secrets = [], renderSecret }: TreeProps) {
  const { t } = useTranslation('resources')
  if (typeof data !== 'object' || data === null) {
    return (
      <ul>
        <Leaf name={t('answer')} at="" depth={0} {...{ data, secrets, renderSecret }} />
      </ul>
    )
  }
  if (listEntries(data).length === 0) return <p className="text-muted">{t('noFields')}</p>
  return (
    <div className="@container -my-1.5">
      <Level at="" depth={0} {...{ data, secrets, renderSecret }} />
    </div>
  )
}

export function FieldsSheet(props: {
  readonly subject: Pick<ResourceSubject, 'row' | 'name' | 'secrets'>
  readonly onClose: () => void
}) {
  const { t } = useTranslation(['resources', 'common'])
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
  if (path === undefined || image === undefined) return <Code quiet>{text}</Code>
  return (
    <span className="inline-flex min-w-0 max-w-full [&>:last-child]:flex-none" title={text}>
      <span className="inline-flex min-w-0 shrink">
        <Code quiet>{path}</Code>
      </span>
      <Code quiet>{image}</Code>
    </span>
  )
}

/** Statuses of the platform with a translation. Others appear as the platform names them. */
const translatedStatuses = ['ACTIVE', 'CREATING', 'UPDATING', 'DELETING', 'FAILED'] as const

export function FieldValue({ value, format = 'text' }: { readonly value: Json | undefined; readonly format?: Format }) {
  const { t } = useTranslation('resources')
  const { number, locale } = useFormats()
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
    return <span title={number(value)}>{formatFileSize(value, locale)}</span>
  if (format === 'code') return <CodeValue text={text} />
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
  if (format === 'number' && typeof value === 'number') return number(value)
  return <span title={text}>{text}</span>
}
