import type { Holder, RegisterEntry } from '@shared/contract'
import { holderId } from '@shared/key-ids'
import i18next from 'i18next'
import { Ban, CircleCheck, KeyRound, Layers, Pencil, RotateCw, Search, Send, TriangleAlert, UserX } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { formatList, formatRelative } from '../../../format'
import { useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { handoutPath, holderPath, planPath, rotateKeyPath, rotateManyPath } from '../../../paths'
import { useNow, useServerNow } from '../../../relative-time'
import { RowButton } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import type { MenuItem } from '../../../ui/menu'
import { EmptyState, SelectionBar, Toolbar } from '../../../ui/page'
import { Stack } from '../../../ui/rows'
import { SearchField } from '../../../ui/search-field'
import { FilterSelect } from '../../../ui/select'
import { NoValue } from '../../../ui/text'
import { type VirtualColumn, VirtualTable } from '../../../ui/virtual-table'
import {
  entryKey,
  findRegisterEntry,
  holderIcon,
  KeyStatus,
  needsHandout,
  rotatableKeys,
  useReplacements,
} from '../../connections/account'
import { EditSheet } from './edit-sheet'
import {
  attentionFilters,
  holderFilters,
  isRevocable,
  isUnacknowledged,
  listEntries,
  listHolderNames,
  listPlans,
  noFilter,
  statusFilters,
  statusTones,
  useLastUses,
  useRegister,
  useRegisterStore,
} from './entries'
import { RevokeDialog, type RevokedKeys, useEnableKeys } from './revoke-dialog'

const t = i18next.getFixedT(null, ['register', 'rotation'])

function List({ entries: listed }: { readonly entries: readonly RegisterEntry[] }) {
  const entries = useLastUses(listed)
  const navigate = useNavigate()
  const currentTime = useNow()
  const { sought, sorting, seek, sort } = useRegisterStore()
  const [query, setQuery] = useSearchParams()
  const searchText = query.get('find')
  useEffect(() => {
    if (searchText === null) return
    seek({ ...noFilter, text: searchText })
    setQuery({}, { replace: true })
  }, [searchText, seek, setQuery])
  const rows = useMemo(
    () => listEntries(entries, sought, { sorting, currentTime }),
    [entries, sought, sorting, currentTime],
  )
  const [edited, edit] = useState<RegisterEntry>()
  const [revoked, revoke] = useState<RevokedKeys>()
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const chosenRows = keys.size === 0 ? [] : rows.filter((entry) => keys.has(entryKey(entry)))
  const selection = {
    keys: new Set(chosenRows.map(entryKey)),
    onChange: setKeys,
    canSelect: ({ status }: RegisterEntry): boolean => status !== 'gone',
    getLabel: ({ keyName: key, planName, planLabel: plan = planName }: RegisterEntry): string =>
      t('select', { key: t('keyOfPlan', { key, plan }) }),
    allLabel: t('selectAll'),
  }
  const clear = () => setKeys(new Set())
  const canRotate = useCanRotate()
  const rotatableCount = chosenRows.filter(canRotate).length
  const columns = useColumns(useEntryMenu(entries, edit, revoke), edit)
  const revocableEntries = chosenRows.filter(isRevocable)
  return (
    <div className="flex flex-col gap-3">
      <Toolbar>
        {/* While keys are selected, their actions replace the filters, but the search field stays. */}
        <SearchField
          label={t('searchLabel')}
          placeholder={t('search')}
          value={sought.text}
          onChange={(text) => seek({ text })}
          found={{ shown: rows.length, count: entries.length }}
          hasFindKey
        />
        {chosenRows.length > 0 ? (
          <SelectionBar
            text={t('selected', { count: chosenRows.length })}
            note={
              rotatableCount < chosenRows.length ? (
                <span className="ml-2 font-normal text-muted">{t('rotatable', { count: rotatableCount })}</span>
              ) : null
            }
            actions={[
              { label: t('clearSelection'), variant: 'ghost', onClick: clear },
              {
                label: t('revokeSelected'),
                icon: Ban,
                disabled: revocableEntries.length === 0,
                onClick: () => revoke({ entries: revocableEntries }),
              },
              {
                label: t('rotateSelected'),
                variant: 'primary',
                icon: RotateCw,
                disabled: rotatableCount === 0,
                onClick: () => void navigate(rotateManyPath(chosenRows)),
              },
            ]}
          />
        ) : (
          <Filters entries={entries} />
        )}
      </Toolbar>
      {rows.length === 0 ? (
        <EmptyState
          icon={Search}
          title={t('noMatch')}
          actions={[{ label: t('showAll'), onClick: () => seek(noFilter) }]}
        >
          {t('noMatchText')}
        </EmptyState>
      ) : (
        <VirtualTable
          label={t('register:list')}
          columns={columns}
          rows={rows}
          rowKey={entryKey}
          rowHeight={56}
          sorting={sorting}
          onSort={sort}
          selection={selection}
          onOpen={edit}
        />
      )}
      {edited ? (
        <EditSheet entry={findRegisterEntry(entries, edited) ?? edited} onClose={() => edit(undefined)} />
      ) : null}
      {revoked ? (
        <RevokeDialog
          {...revoked}
          onClose={() => revoke(undefined)}
          onDone={() => {
            revoke(undefined)
            clear()
          }}
        />
      ) : null}
    </div>
  )
}

export function RegisterList() {
  const query = useRegister()
  return (
    <Loaded query={query} rows={6}>
      {(entries) =>
        entries.length === 0 ? (
          <EmptyState icon={KeyRound} title={t('empty')} next={{ to: '/plans', label: t('toPlans') }}>
            {t('emptyText')}
          </EmptyState>
        ) : (
          <List entries={entries} />
        )
      }
    </Loaded>
  )
}

/** Whether the secret of a key is here, an account can create keys for its plan, and it was not replaced. */
function useCanRotate(): (entry: RegisterEntry) => boolean {
  const { data: plans } = useCall('plans.list', {})
  return useMemo(() => {
    const keys = new Set(rotatableKeys(plans ?? []).map(entryKey))
    return (entry) => entry.status !== 'gone' && keys.has(entryKey(entry))
  }, [plans])
}

function useEntryMenu(
  entries: readonly RegisterEntry[],
  onEdit: (entry: RegisterEntry) => void,
  onRevoke: (revoked: RevokedKeys) => void,
): (entry: RegisterEntry) => readonly MenuItem[] {
  const { isAsking } = useRegister()
  const canRotate = useCanRotate()
  const enableKey = useEnableKeys()
  const findReplacement = useReplacements()
  const openHolder = (holder: Holder): MenuItem => ({
    label: t('register:holder.open', { holder: holder.name }),
    icon: holderIcon(holder),
    to: holderPath(holderId(holder)),
  })
  /** Revokes all keys of a holder with several keys, including those that are shared with other holders. */
  const revokeAll = ({ name }: Holder): readonly MenuItem[] => {
    const keys = entries.filter((entry) => isRevocable(entry) && listHolderNames(entry).includes(name))
    const label = t('register:revokeAllOf', { holder: name })
    const onSelect = (): void => onRevoke({ entries: keys, holder: name })
    return keys.length < 2 ? [] : [{ label, icon: UserX, danger: true, disabled: isAsking, onSelect }]
  }
  return (entry) => [
    { label: t('register:edit'), icon: Pencil, onSelect: () => onEdit(entry) },
    ...(entry.holder ? [openHolder(entry.holder)] : []),
    {
      label: t('rotation:rotateMenu'),
      icon: RotateCw,
      disabled: !canRotate(entry),
      hint: entry.isKeptHere ? findReplacement(entry.keyId)?.short : t('rotation:keepFirst'),
      to: rotateKeyPath(entry),
    },
    {
      label: t('register:handOutThis'),
      icon: Send,
      disabled: !entry.isKeptHere || findReplacement(entry.keyId) !== undefined,
      hint: findReplacement(entry.keyId)?.short,
      to: handoutPath(entry),
    },
    {
      label: t('rotation:slots.toPlan'),
      icon: Layers,
      to: `${planPath(entry.planId)}?tab=keys`,
    },
    'separator',
    entry.status === 'DISABLED'
      ? { label: t('register:enable'), icon: CircleCheck, onSelect: () => void enableKey([entry]) }
      : {
          label: t('register:revoke'),
          icon: Ban,
          danger: true,
          disabled: !isRevocable(entry),
          onSelect: () => onRevoke({ entries: [entry] }),
        },
    ...(entry.holder ? revokeAll(entry.holder) : []),
  ]
}

function Filters({ entries }: { readonly entries: readonly RegisterEntry[] }) {
  const { sought, seek } = useRegisterStore()
  const { data: connections = [] } = useCall('connections.list', {})
  const plans = useMemo(() => listPlans(entries), [entries])
  const connectionOptions = connections
    .filter(({ id }) => plans.some(({ connectionId }) => connectionId === id))
    .map(({ id, name }) => ({ value: `${id}/`, label: t('filters.plans.connection', { name }) }))
  return (
    <>
      {plans.length > 1 ? (
        <FilterSelect
          aria-label={t('filters.plan')}
          value={sought.plan}
          onValueChange={(plan) => seek({ plan })}
          options={[
            { value: 'all', label: t('filters.plans.all') },
            ...(connectionOptions.length > 1 ? connectionOptions : []),
            ...plans,
          ]}
        />
      ) : null}
      <FilterSelect
        aria-label={t('filters.holder')}
        value={sought.holder}
        onValueChange={(holder) => seek({ holder })}
        options={holderFilters.map((value) => ({ value, label: t(`filters.holders.${value}`) }))}
      />
      <FilterSelect
        aria-label={t('filters.status')}
        value={sought.status}
        onValueChange={(status) => seek({ status })}
        options={statusFilters.map((value) => ({ value, label: t(`filters.statuses.${value}`) }))}
      />
      <FilterSelect
        aria-label={t('filters.look')}
        value={sought.look}
        onValueChange={(look) => seek({ look })}
        options={attentionFilters.map((value) => ({ value, label: t(`filters.looks.${value}`) }))}
      />
    </>
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

/** Columns of the table. Cells share the hooks, because hooks per cell slow down scrolling. */
function useColumns(
  getMenu: ReturnType<typeof useEntryMenu>,
  onEdit: (entry: RegisterEntry) => void,
): readonly VirtualColumn<RegisterEntry>[] {
  const navigate = useNavigate()
  const canRotate = useCanRotate()
  const currentTime = useNow()
  const serverNow = useServerNow()
  const findReplacement = useReplacements()
  const column = (id: keyof typeof widths) => ({ id, header: t(`register:columns.${id}`), width: widths[id] })
  const formatTime = (at: string): string => formatRelative(at, currentTime).short
  const renderTime = (at: string, now = currentTime) => (
    <time dateTime={at} title={formatRelative(at, now).exact}>
      {formatRelative(at, now).short}
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
                  {t('register:alsoServes', { names: formatList(alsoServes) })}
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
      cell: (entry, tabIndex, openMenu) => {
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
              hasMenu
              tabIndex={tabIndex}
              label={t('register:menu', { key })}
              onPress={(button) => openMenu(button, getMenu(entry))}
            />
          </>
        )
      },
    },
  ]
}
