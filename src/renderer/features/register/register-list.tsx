import type { RegisterEntry } from '@shared/contract'
import { KeyRound, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { useNow } from '../../relative-time'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { SkeletonRows } from '../../ui/skeleton'
import toolbar from '../../ui/toolbar.module.css'
import { rotateManyPath } from '../rotation/paths'
import { EditSheet } from './edit-sheet'
import { entryOf, keyOf, listEntries } from './entries'
import { useRegisterStore } from './register-store'
import { RegisterTable } from './register-table'
import { RegisterToolbar, SelectionBar } from './register-toolbar'
import { RevokeDialog } from './revoke-dialog'
import { useCanRotate, useEntryMenu } from './use-entry-menu'

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
          onRotate={() => void navigate(rotateManyPath(rotatable))}
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
