import type { RegisterEntry } from '@shared/contract'
import { Ellipsis, Pencil, RotateCw, TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatList, useFormats } from '../../../format'
import { rotateKeyPath } from '../../../paths'
import { useNow, useServerNow } from '../../../relative-time'
import { StatusDot, type Tone } from '../../../ui/badge'
import { RowButton } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { type MenuItem, type SharedMenu, useSharedMenu } from '../../../ui/menu'
import { Stack } from '../../../ui/rows'
import { NoValue } from '../../../ui/text'
import { type Selection, type VirtualColumn, VirtualTable } from '../../../ui/virtual-table'
import { entryKey, holderIcon, KeyStatus, needsHandout, useReplacements } from '../../connections/account'
import { isUnacknowledged, useRegisterStore } from './entries'

export const statusTones: Record<RegisterEntry['status'], Tone> = {
  ACTIVE: 'success',
  DISABLED: 'neutral',
  unknown: 'neutral',
  gone: 'danger',
}

export function EntryStatus({ entry: { keyId, status } }: { readonly entry: RegisterEntry }) {
  const { t } = useTranslation('register')
  const replacement = useReplacements()(keyId)
  return (
    <StatusDot
      tone={replacement && status === 'ACTIVE' ? 'warning' : statusTones[status]}
      label={replacement?.text ?? t(`statuses.${status}`)}
    />
  )
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

interface RegisterTableProps {
  readonly entries: readonly RegisterEntry[]
  readonly selection: Selection<RegisterEntry>
  readonly getMenu: (entry: RegisterEntry) => readonly MenuItem[]
  readonly canRotate: (entry: RegisterEntry) => boolean
  readonly onEdit: (entry: RegisterEntry) => void
}

/** Columns of the table. Cells share the hooks, because hooks per cell slow down scrolling. */
function useColumns({ getMenu, canRotate, onEdit }: RegisterTableProps, open: SharedMenu['open']) {
  const { t } = useTranslation(['register', 'rotation'])
  const navigate = useNavigate()
  const { relative, locale } = useFormats()
  const currentTime = useNow()
  const serverNow = useServerNow()
  const findReplacement = useReplacements()
  return useMemo((): readonly VirtualColumn<RegisterEntry>[] => {
    const column = (id: keyof typeof widths) => ({ id, header: t(`register:columns.${id}`), width: widths[id] })
    const formatTime = (at: string): string => relative(at, currentTime).short
    const renderTime = (at: string, now = currentTime) => (
      <time dateTime={at} title={relative(at, now).exact}>
        {relative(at, now).short}
      </time>
    )
    const renderMore = (text: string) =>
      text === '' ? null : (
        <span className="text-muted text-sm" title={text}>
          {text}
        </span>
      )
    return [
      {
        ...column('key'),
        sortable: true,
        cell: ({ keyName, planName, planLabel = planName, masked }) => (
          <Stack>
            <span className="font-strong" title={keyName}>
              {keyName}
            </span>
            <span className="flex gap-1.5 text-muted text-sm" title={planLabel}>
              <span className="truncate">{planLabel}</span>{' '}
              {masked === undefined ? null : <code className="flex-none text-faint">{masked}</code>}
            </span>
          </Stack>
        ),
      },
      {
        ...column('holder'),
        sortable: true,
        cell: ({ holder, purpose, machine, alsoServes }) => {
          const Icon = holder ? holderIcon(holder) : undefined
          return (
            <Stack>
              {holder && Icon ? (
                <span className="inline-flex items-center gap-1.5 [&>svg]:text-muted" title={holder.name}>
                  <Icon size={14} strokeWidth={1.8} role="img" aria-label={t(`register:kinds.${holder.kind}`)} />
                  <span className="min-w-0 overflow-hidden text-ellipsis">{holder.name}</span>
                </span>
              ) : (
                <NoValue>{t('register:noHolder')}</NoValue>
              )}
              {alsoServes.length > 0 ? (
                <span
                  className="inline-flex items-center gap-1 text-sm text-warning"
                  title={t('register:alsoServesHint')}
                >
                  <TriangleAlert size={12} strokeWidth={2} aria-hidden="true" />
                  <span className="min-w-0 overflow-hidden text-ellipsis">
                    {t('register:alsoServes', { names: formatList(alsoServes, locale) })}
                  </span>
                </span>
              ) : (
                renderMore([purpose, machine].filter(Boolean).join(' · '))
              )}
            </Stack>
          )
        },
      },
      {
        ...column('status'),
        sortable: true,
        cell: ({ status, isKeptHere, keyId }) => {
          const replacement = findReplacement(keyId)
          const label = t(`register:statuses.${status}`)
          return (
            <Stack title={status === 'unknown' || status === 'gone' ? t(`register:statusHints.${status}`) : undefined}>
              {status === 'unknown' && !replacement ? (
                <NoValue>{label}</NoValue>
              ) : (
                <KeyStatus {...{ label, replacement }} tone={statusTones[status]} isDisabled={status === 'DISABLED'} />
              )}
              {isKeptHere ? null : <span className="text-muted text-sm">{t('register:notHere')}</span>}
            </Stack>
          )
        },
      },
      {
        ...column('handedOut'),
        sortable: true,
        cell: (entry) => {
          const { handedOutAt, acknowledgedAt } = entry
          if (needsHandout(entry)) return <span className="text-warning">{t('register:toHandOut')}</span>
          if (handedOutAt === undefined) return <NoValue>{t('register:notHandedOut')}</NoValue>
          return (
            <Stack>
              {renderTime(handedOutAt)}
              <span className={joinClassNames('text-muted text-sm', isUnacknowledged(entry) && 'text-warning')}>
                {acknowledgedAt === undefined
                  ? t('register:unacknowledged')
                  : t('register:acknowledged', { when: formatTime(acknowledgedAt) })}
              </span>
            </Stack>
          )
        },
      },
      {
        ...column('created'),
        sortable: true,
        from: 760,
        cell: ({ createdAt, rotatedAt, origin }) => (
          <Stack>
            {createdAt === undefined ? (
              <NoValue>{t('register:unknownTime')}</NoValue>
            ) : (
              renderTime(createdAt, origin && serverNow(origin.connectionId))
            )}
            {rotatedAt === undefined ? null : (
              <span className="text-muted text-sm">{t('register:rotated', { when: formatTime(rotatedAt) })}</span>
            )}
          </Stack>
        ),
      },
      {
        ...column('used'),
        sortable: true,
        from: 900,
        cell: ({ lastUsedAt, lastUsedFrom, tools }) => {
          const source = lastUsedAt && lastUsedFrom && t(`register:usedFrom.${lastUsedFrom}`)
          return (
            <Stack>
              {lastUsedAt === undefined ? (
                <NoValue>{t(lastUsedFrom === 'console' ? 'register:notUsedLately' : 'register:neverUsed')}</NoValue>
              ) : (
                renderTime(lastUsedAt)
              )}
              {renderMore([source, tools.join(', ')].filter(Boolean).join(' · '))}
            </Stack>
          )
        },
      },
      {
        ...column('actions'),
        headerHidden: true,
        align: 'right',
        cell: (entry, tabIndex) => {
          const { keyName, planName, planLabel: plan = planName } = entry
          // Keys of different plans may have the same name.
          const key = t('register:keyOfPlan', { key: keyName, plan })
          return (
            <>
              {canRotate(entry) ? (
                <RowButton
                  icon={RotateCw}
                  tabIndex={tabIndex}
                  label={t('rotation:rotateNamed', { key })}
                  onPress={() => void navigate(rotateKeyPath(entry))}
                />
              ) : null}
              <RowButton
                icon={Pencil}
                tabIndex={tabIndex}
                label={t('register:sheet.title', { key })}
                onPress={() => onEdit(entry)}
              />
              <RowButton
                icon={Ellipsis}
                hasMenu
                tabIndex={tabIndex}
                label={t('register:menu', { key })}
                onPress={(button) => open(button, getMenu(entry))}
              />
            </>
          )
        },
      },
    ]
  }, [t, navigate, relative, locale, currentTime, serverNow, findReplacement, open, getMenu, canRotate, onEdit])
}

export function RegisterTable(props: RegisterTableProps) {
  const { t } = useTranslation('register')
  const { sorting, sort } = useRegisterStore()
  const { open, menu } = useSharedMenu()
  return (
    <>
      <VirtualTable
        label={t('list')}
        columns={useColumns(props, open)}
        rows={props.entries}
        rowKey={entryKey}
        rowHeight={56}
        sorting={sorting}
        onSort={sort}
        selection={props.selection}
        onOpen={props.onEdit}
      />
      {menu}
    </>
  )
}
