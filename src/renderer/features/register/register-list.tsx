import type { MethodOutput, RegisterEntry } from '@shared/contract'
import { useQueries } from '@tanstack/react-query'
import { Ban, CircleCheck, KeyRound, Layers, Pencil, RotateCw, Search, Send } from 'lucide-react'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { call, callKey, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { handoutPath, rotateKeyPath, rotateManyPath } from '../../paths'
import { useNow } from '../../relative-time'
import { Button, ButtonLink } from '../../ui/button'
import { ConfirmDialog } from '../../ui/dialog'
import type { MenuItem } from '../../ui/menu'
import { EmptyState } from '../../ui/page'
import { SearchField } from '../../ui/search-field'
import { Select } from '../../ui/select'
import { Skeleton, SkeletonRows } from '../../ui/skeleton'
import toolbar from '../../ui/toolbar.module.css'
import { ExplainedFailure } from '../failures/explained-failure'
import { planPath } from '../plans/use-plan-menu'
import { rotatableKeys } from '../rotation/choose-key'
import { EditSheet } from './edit-sheet'
import { entryOf, holderFilters, keyOf, listEntries, lookFilters, statusFilters, useRegisterStore } from './entries'
import registerStyles from './register.module.css'
import { RegisterTable } from './register-table'
import { useEnable, useKeysWords, useRevoke } from './use-revoke'

function Empty() {
  const { t } = useTranslation('register')
  return (
    <EmptyState
      icon={KeyRound}
      title={t('empty')}
      actions={
        <ButtonLink variant="primary" to="/plans">
          {t('toPlans')}
        </ButtonLink>
      }
    >
      {t('emptyText')}
    </EmptyState>
  )
}

function NoMatch() {
  const { t } = useTranslation('register')
  const showAll = useRegisterStore((store) => store.showAll)
  return (
    <EmptyState icon={Search} title={t('noMatch')} actions={<Button onClick={showAll}>{t('showAll')}</Button>}>
      {t('noMatchText')}
    </EmptyState>
  )
}

/** Which entries are ticked; one that is no longer shown is not. */
function useTicked(rows: readonly RegisterEntry[]) {
  const { t } = useTranslation('register')
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const chosen = rows.filter((entry) => keys.has(keyOf(entry)))
  const selection = {
    keys: new Set(chosen.map(keyOf)),
    onChange: setKeys,
    canSelect: ({ status }: RegisterEntry): boolean => status !== 'gone',
    labelOf: ({ keyName: key, planName: plan }: RegisterEntry): string =>
      t('select', { key: t('keyOfPlan', { key, plan }) }),
    allLabel: t('selectAll'),
  }
  return { chosen, selection, clear: () => setKeys(new Set()) }
}

function List({ entries }: { readonly entries: readonly RegisterEntry[] }) {
  const navigate = useNavigate()
  const now = useNow()
  const { sought, sorting } = useRegisterStore()
  const rows = useMemo(() => listEntries(entries, sought, { sorting, now }), [entries, sought, sorting, now])
  const [edited, edit] = useState<RegisterEntry>()
  const [revoked, revoke] = useState<readonly RegisterEntry[]>()
  const { chosen, selection, clear } = useTicked(rows)
  const canRotate = useCanRotate()
  const rotatable = chosen.filter(canRotate)
  const menuOf = useEntryMenu({ onEdit: edit, onRevoke: revoke })
  const revocable = chosen.filter(({ status, origin }) => origin !== undefined && status !== 'DISABLED')
  return (
    <div className={toolbar.list}>
      {chosen.length > 0 ? (
        <SelectionBar
          count={chosen.length}
          rotatable={rotatable.length}
          // Those that cannot be rotated are named there.
          onRotate={() => void navigate(rotateManyPath(chosen))}
          revocable={revocable.length}
          onRevoke={() => revoke(revocable)}
          onClear={clear}
        />
      ) : (
        <RegisterToolbar shown={rows.length} count={entries.length} />
      )}
      {rows.length === 0 ? (
        <NoMatch />
      ) : (
        <RegisterTable entries={rows} selection={selection} menuOf={menuOf} canRotate={canRotate} onEdit={edit} />
      )}
      {edited ? <EditSheet entry={entryOf(entries, edited) ?? edited} onClose={() => edit(undefined)} /> : null}
      {revoked ? (
        <RevokeDialog
          entries={revoked}
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

/** The keys of all plans and who holds them. */
export function RegisterList() {
  const query = useCall('register.list', {})
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={6} />}>
      {(entries) => (entries.length === 0 ? <Empty /> : <List entries={entries} />)}
    </Loaded>
  )
}

/** Which entries can be rotated: their key is kept here, and an account makes keys for their plan. */
function useCanRotate(): (entry: RegisterEntry) => boolean {
  const { data: plans } = useCall('plans.list', {})
  return useMemo(() => {
    const keys = new Set(rotatableKeys(plans ?? []).map(keyOf))
    return (entry) => entry.status !== 'gone' && keys.has(keyOf(entry))
  }, [plans])
}

interface Doing {
  readonly onEdit: (entry: RegisterEntry) => void
  readonly onRevoke: (entries: readonly RegisterEntry[]) => void
}

/** What can be done with a key from its row. */
function useEntryMenu({ onEdit, onRevoke }: Doing): (entry: RegisterEntry) => readonly MenuItem[] {
  const { t } = useTranslation(['register', 'rotation'])
  const navigate = useNavigate()
  const canRotate = useCanRotate()
  const enable = useEnable()
  const itemsOf = (entry: RegisterEntry): readonly MenuItem[] => [
    { label: t('register:edit'), icon: Pencil, onSelect: () => onEdit(entry) },
    {
      label: t('rotation:rotateMenu'),
      icon: RotateCw,
      disabled: !canRotate(entry),
      hint: entry.isKeptHere ? undefined : t('rotation:keepFirst'),
      onSelect: () => void navigate(rotateKeyPath(entry)),
    },
    {
      label: t('register:handOutThis'),
      icon: Send,
      disabled: !entry.isKeptHere,
      onSelect: () => void navigate(handoutPath(entry)),
    },
    {
      label: t('rotation:slots.toPlan'),
      icon: Layers,
      onSelect: () => void navigate(`${planPath(entry.planId)}?tab=keys`),
    },
    'separator',
    entry.status === 'DISABLED'
      ? { label: t('register:enable'), icon: CircleCheck, onSelect: () => void enable([entry]) }
      : {
          label: t('register:revoke'),
          icon: Ban,
          danger: true,
          disabled: entry.status === 'gone' || entry.origin === undefined,
          onSelect: () => onRevoke([entry]),
        },
  ]
  // The table draws its rows anew when this changes: it asks for the menu only when one is opened.
  const latest = useRef(itemsOf)
  latest.current = itemsOf
  return useCallback((entry) => latest.current(entry), [])
}

const oneOf = <T extends string>(all: readonly T[], value: string): T | undefined => all.find((one) => one === value)

/** The filters, each a list of its own. */
function Filters() {
  const { t } = useTranslation('register')
  const { sought, seek } = useRegisterStore()
  return (
    <>
      <Select
        className={registerStyles.filter ?? ''}
        aria-label={t('filters.holder')}
        value={sought.holder}
        onValueChange={(value) => seek({ holder: oneOf(holderFilters, value) ?? 'all' })}
        options={holderFilters.map((value) => ({ value, label: t(`filters.holders.${value}`) }))}
      />
      <Select
        className={registerStyles.filter ?? ''}
        aria-label={t('filters.status')}
        value={sought.status}
        onValueChange={(value) => seek({ status: oneOf(statusFilters, value) ?? 'all' })}
        options={statusFilters.map((value) => ({ value, label: t(`filters.statuses.${value}`) }))}
      />
      <Select
        className={registerStyles.filter ?? ''}
        aria-label={t('filters.look')}
        value={sought.look}
        onValueChange={(value) => seek({ look: oneOf(lookFilters, value) ?? 'all' })}
        options={lookFilters.map((value) => ({ value, label: t(`filters.looks.${value}`) }))}
      />
    </>
  )
}

/** Search and filters of the register. */
function RegisterToolbar({ shown, count }: { readonly shown: number; readonly count: number }) {
  const { t } = useTranslation('register')
  const { sought, seek } = useRegisterStore()
  return (
    <div className={toolbar.bar}>
      <SearchField
        label={t('searchLabel')}
        placeholder={t('search')}
        value={sought.text}
        onChange={(text) => seek({ text })}
        found={{ shown, count }}
        hasFindKey
      />
      <Filters />
    </div>
  )
}

interface SelectionBarProps {
  readonly count: number
  /** How many of them can be rotated. */
  readonly rotatable: number
  /** How many of them can be revoked. */
  readonly revocable: number
  readonly onRotate: () => void
  readonly onRevoke: () => void
  readonly onClear: () => void
}

/** What can be done with the keys that are ticked; stands where search and filters stand otherwise. */
function SelectionBar({ count, rotatable, revocable, onRotate, onRevoke, onClear }: SelectionBarProps) {
  const { t } = useTranslation('register')
  return (
    <section className={toolbar.selected} aria-label={t('selected', { count })}>
      <p role="status" className={toolbar.chosen}>
        {t('selected', { count })}
        {rotatable < count ? <span className={registerStyles.note}>{t('rotatable', { count: rotatable })}</span> : null}
      </p>
      <Button size="sm" variant="ghost" onClick={onClear}>
        {t('clearSelection')}
      </Button>
      <Button size="sm" icon={Ban} disabled={revocable === 0} onClick={onRevoke}>
        {t('revokeSelected')}
      </Button>
      <Button size="sm" variant="primary" icon={RotateCw} disabled={rotatable === 0} onClick={onRotate}>
        {t('rotateSelected')}
      </Button>
    </section>
  )
}

type Preview = MethodOutput<'register.previewRevoke'>

/** What stops when these keys stop, each thing once; nothing while it is being looked for. */
function useBreaks(entries: readonly RegisterEntry[]) {
  return useQueries({
    queries: entries.map(({ planId, keyId }) => ({
      queryKey: callKey('register.previewRevoke', { planId, keyId }),
      queryFn: () => call('register.previewRevoke', { planId, keyId }),
      staleTime: 0,
    })),
    combine: (results) => {
      const known: readonly Preview[] = results.flatMap(({ data }) => data ?? [])
      return {
        isLooking: results.some(({ isPending }) => isPending),
        tools: [...new Set(known.flatMap(({ tools }) => tools))],
        unknownTools: [...new Set(known.flatMap(({ unknownTools }) => unknownTools ?? []))],
        holders: [...new Set(known.flatMap(({ holder }) => holder?.name ?? []))],
      }
    },
  })
}

function Names({ text, names }: { readonly text: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <>
      <p>{text}</p>
      <ul className={registerStyles.breaks}>
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </>
  )
}

function Breaks({ entries }: { readonly entries: readonly RegisterEntry[] }) {
  const { t } = useTranslation('register')
  const { isLooking, tools, unknownTools, holders } = useBreaks(entries)
  const isNothing = [tools, unknownTools, holders].every((names) => names.length === 0)
  return (
    <div className={registerStyles.question}>
      <p>{t('revoking.text')}</p>
      {isLooking ? (
        <p role="status">
          <span className="sr-only">{t('revoking.looking')}</span>
          <Skeleton width={240} />
        </p>
      ) : isNothing ? (
        <p>{t('revoking.nothing')}</p>
      ) : (
        <>
          <Names text={t('revoking.tools')} names={tools} />
          <Names text={t('revoking.unknownTools')} names={unknownTools} />
          <Names text={t('revoking.holders')} names={holders} />
        </>
      )}
    </div>
  )
}

/** Asks before keys are disabled at the account: what breaks, by name. */
function RevokeDialog({
  entries,
  onClose,
  onDone,
}: {
  readonly entries: readonly RegisterEntry[]
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const { t } = useTranslation('register')
  const what = useKeysWords()(entries)
  const { isPending, left, failure, revoke } = useRevoke(entries, onDone)
  return (
    <ConfirmDialog
      open
      danger
      onOpenChange={(open) => {
        if (!open && !isPending) onClose()
      }}
      title={t('revoking.title', { what })}
      description={<Breaks entries={entries} />}
      confirmLabel={t('revoking.confirm')}
      busy={isPending}
      onConfirm={revoke}
    >
      {failure ? (
        <>
          <p key={left.map(keyOf).join()} className={registerStyles.warningText}>
            {t('revoking.left', { keys: left.map(({ keyName }) => keyName).join(', ') })}
          </p>
          <ExplainedFailure failure={failure} />
        </>
      ) : null}
    </ConfirmDialog>
  )
}
