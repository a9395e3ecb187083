import type { RegisterEntry } from '@shared/contract'
import type { TFunction } from 'i18next'
import { Ellipsis, Pencil, RotateCw, TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { type Formats, formatList, useFormats } from '../../../format'
import { rotateKeyPath } from '../../../paths'
import { useNow, useServerNow } from '../../../relative-time'
import type { Tone } from '../../../ui/badge'
import { RowButton } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { type MenuItem, useSharedMenu } from '../../../ui/menu'
import { Stack } from '../../../ui/rows'
import { NoValue } from '../../../ui/text'
import type { Selection, VirtualColumn } from '../../../ui/virtual-table'
import { VirtualTable } from '../../../ui/virtual-table'
import { entryKey, holderIcon, KeyStatus, needsHandout, useReplacements } from '../../connections/account'
import { isUnacknowledged, useRegisterStore } from './entries'

type Column = VirtualColumn<RegisterEntry>

/** Name of a key and of its plan, because keys of different plans may have the same name. */
const keyNames = ({ keyName: key, planName, planLabel: plan = planName }: RegisterEntry) => ({ key, plan })

interface RowActions {
  readonly canRotate: (entry: RegisterEntry) => boolean
  readonly onRotate: (entry: RegisterEntry) => void
  readonly onEdit: (entry: RegisterEntry) => void
  readonly onMenu: (button: HTMLElement, entry: RegisterEntry) => void
}

const widths = {
  key: 'minmax(150px, 1.18fr)',
  holder: 'minmax(140px, 1.2fr)',
  status: 'minmax(112px, 0.75fr)',
  handedOut: 'minmax(124px, 132px)',
  created: 'minmax(108px, 124px)',
  used: 'minmax(112px, 0.6fr)',
  actions: '112px',
} as const

function buildColumns(context: TableContext, { canRotate, onRotate, onEdit, onMenu }: RowActions): readonly Column[] {
  const { t, tRotation } = context
  const column = (id: keyof typeof widths): Pick<Column, 'id' | 'header' | 'width'> => ({
    id,
    header: t(`columns.${id}`),
    width: widths[id],
  })
  return [
    { ...column('key'), sortable: true, cell: (entry) => <KeyCell entry={entry} context={context} /> },
    { ...column('holder'), sortable: true, cell: (entry) => <HolderCell entry={entry} context={context} /> },
    { ...column('status'), sortable: true, cell: (entry) => <StatusCell entry={entry} context={context} /> },
    { ...column('handedOut'), sortable: true, cell: (entry) => <IssuedAtCell entry={entry} context={context} /> },
    {
      ...column('created'),
      sortable: true,
      from: 760,
      cell: (entry) => <CreatedCell entry={entry} context={context} />,
    },
    { ...column('used'), sortable: true, from: 900, cell: (entry) => <UsedCell entry={entry} context={context} /> },
    {
      ...column('actions'),
      headerHidden: true,
      align: 'right',
      cell: (entry, tabIndex) => (
        <>
          {canRotate(entry) ? (
            <RowButton
              icon={RotateCw}
              tabIndex={tabIndex}
              label={tRotation('rotateNamed', { key: t('keyOfPlan', keyNames(entry)) })}
              onPress={() => onRotate(entry)}
            />
          ) : null}
          <RowButton
            icon={Pencil}
            tabIndex={tabIndex}
            label={t('sheet.title', { key: t('keyOfPlan', keyNames(entry)) })}
            onPress={() => onEdit(entry)}
          />
          <RowButton
            icon={Ellipsis}
            hasMenu
            tabIndex={tabIndex}
            label={t('menu', { key: t('keyOfPlan', keyNames(entry)) })}
            onPress={(button) => onMenu(button, entry)}
          />
        </>
      ),
    },
  ]
}

interface RegisterTableProps {
  readonly entries: readonly RegisterEntry[]
  readonly selection: Selection<RegisterEntry>
  readonly getMenu: (entry: RegisterEntry) => readonly MenuItem[]
  readonly canRotate: (entry: RegisterEntry) => boolean
  readonly onEdit: (entry: RegisterEntry) => void
}

export function RegisterTable({ entries, selection, getMenu, canRotate, onEdit }: RegisterTableProps) {
  const { t } = useTranslation('register')
  const { t: tRotation } = useTranslation('rotation')
  const navigate = useNavigate()
  const formats = useFormats()
  const currentTime = useNow()
  const serverNow = useServerNow()
  const findReplacement = useReplacements()
  const { sorting, sort } = useRegisterStore()
  const { open, menu } = useSharedMenu()
  const columns = useMemo(() => {
    const onMenu = (button: HTMLElement, entry: RegisterEntry): void => open(button, getMenu(entry))
    const onRotate = (entry: RegisterEntry): void => void navigate(rotateKeyPath(entry))
    return buildColumns(
      { t, tRotation, formats, currentTime, nowAt: serverNow, findReplacement },
      { canRotate, onRotate, onEdit, onMenu },
    )
  }, [t, tRotation, formats, currentTime, serverNow, findReplacement, open, getMenu, canRotate, onEdit, navigate])
  return (
    <>
      <VirtualTable
        label={t('list')}
        columns={columns}
        rows={entries}
        rowKey={entryKey}
        rowHeight={56}
        sorting={sorting}
        onSort={sort}
        selection={selection}
        onOpen={onEdit}
      />
      {menu}
    </>
  )
}

interface TableContext {
  readonly t: TFunction<'register'>
  readonly tRotation: TFunction<'rotation'>
  readonly formats: Formats
  readonly currentTime: Date
  /** Current time on the server clock of a connection. */
  readonly nowAt: (connectionId?: string) => Date
  readonly findReplacement: ReturnType<typeof useReplacements>
}

interface CellProps {
  readonly entry: RegisterEntry
  readonly context: TableContext
}

/** Color of each status. The table also shows the status as text. */
export const statusTones: Record<RegisterEntry['status'], Tone> = {
  ACTIVE: 'success',
  DISABLED: 'neutral',
  unknown: 'neutral',
  gone: 'danger',
}

function TimeCell({
  at,
  currentTime,
  formats,
}: {
  readonly at: string
  readonly currentTime: Date
  readonly formats: Formats
}) {
  const { short, exact } = formats.relative(at, currentTime)
  return (
    <time dateTime={at} title={exact}>
      {short}
    </time>
  )
}

function KeyCell({ entry }: CellProps) {
  const { keyName, planName, planLabel = planName, masked } = entry
  return (
    <Stack>
      <span className="font-strong" title={keyName}>
        {keyName}
      </span>
      <span className="flex gap-1.5 text-muted text-sm" title={planLabel}>
        <span className="truncate">{planLabel}</span>{' '}
        {masked === undefined ? null : <code className="flex-none text-faint">{masked}</code>}
      </span>
    </Stack>
  )
}

function HolderCell({ entry, context: { t, formats } }: CellProps) {
  const { holder, purpose, machine, alsoServes } = entry
  const Icon = holder ? holderIcon(holder) : undefined
  const moreText = [purpose, machine].filter(Boolean).join(' · ')
  const otherHolders = formatList(alsoServes, formats.locale)
  return (
    <Stack>
      {holder && Icon ? (
        <span className="inline-flex items-center gap-1.5 [&>svg]:text-muted" title={holder.name}>
          <Icon size={14} strokeWidth={1.8} role="img" aria-label={t(`kinds.${holder.kind}`)} />
          <span className="min-w-0 overflow-hidden text-ellipsis">{holder.name}</span>
        </span>
      ) : (
        <NoValue>{t('noHolder')}</NoValue>
      )}
      {alsoServes.length > 0 ? (
        <span className="inline-flex items-center gap-1 text-sm text-warning" title={t('alsoServesHint')}>
          <TriangleAlert size={12} strokeWidth={2} aria-hidden="true" />
          <span className="min-w-0 overflow-hidden text-ellipsis">{t('alsoServes', { names: otherHolders })}</span>
        </span>
      ) : moreText === '' ? null : (
        <span className="text-muted text-sm" title={moreText}>
          {moreText}
        </span>
      )}
    </Stack>
  )
}

function StatusCell({ entry, context: { t, findReplacement } }: CellProps) {
  const { status, isKeptHere } = entry
  const replacement = findReplacement(entry.keyId)
  const hint = status === 'unknown' || status === 'gone' ? t(`statusHints.${status}`) : undefined
  return (
    <Stack title={hint}>
      {status === 'unknown' && !replacement ? (
        <NoValue>{t('statuses.unknown')}</NoValue>
      ) : (
        <KeyStatus
          tone={statusTones[status]}
          label={t(`statuses.${status}`)}
          isDisabled={status === 'DISABLED'}
          replacement={replacement}
        />
      )}
      {isKeptHere ? null : <span className="text-muted text-sm">{t('notHere')}</span>}
    </Stack>
  )
}

function IssuedAtCell({ entry, context }: CellProps) {
  const { t, formats, currentTime } = context
  const { handedOutAt, acknowledgedAt } = entry
  if (needsHandout(entry)) return <span className="text-warning">{t('toHandOut')}</span>
  if (handedOutAt === undefined) return <NoValue>{t('notHandedOut')}</NoValue>
  return (
    <Stack>
      <TimeCell at={handedOutAt} currentTime={currentTime} formats={formats} />
      <span className={joinClassNames('text-muted text-sm', isUnacknowledged(entry) && 'text-warning')}>
        {acknowledgedAt === undefined
          ? t('unacknowledged')
          : t('acknowledged', { when: formats.relative(acknowledgedAt, currentTime).short })}
      </span>
    </Stack>
  )
}

function CreatedCell({ entry, context }: CellProps) {
  const { t, formats, currentTime, nowAt } = context
  const { createdAt, rotatedAt, origin } = entry
  return (
    <Stack>
      {createdAt === undefined ? (
        <NoValue>{t('unknownTime')}</NoValue>
      ) : (
        <TimeCell at={createdAt} currentTime={origin ? nowAt(origin.connectionId) : currentTime} formats={formats} />
      )}
      {rotatedAt === undefined ? null : (
        <span className="text-muted text-sm">
          {t('rotated', { when: formats.relative(rotatedAt, currentTime).short })}
        </span>
      )}
    </Stack>
  )
}

function UsedCell({ entry, context }: CellProps) {
  const { t, formats, currentTime } = context
  const { lastUsedAt, lastUsedFrom, tools } = entry
  const source = lastUsedAt && lastUsedFrom && t(`usedFrom.${lastUsedFrom}`)
  const names = [source, tools.join(', ')].filter(Boolean).join(' · ')
  return (
    <Stack>
      {lastUsedAt === undefined ? (
        <NoValue>{t(lastUsedFrom === 'console' ? 'notUsedLately' : 'neverUsed')}</NoValue>
      ) : (
        <TimeCell at={lastUsedAt} currentTime={currentTime} formats={formats} />
      )}
      {names === '' ? null : (
        <span className="text-muted text-sm" title={names}>
          {names}
        </span>
      )}
    </Stack>
  )
}
