import type { AccountPlanView } from '@shared/contract'
import { Ellipsis } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { useNow } from '../../relative-time'
import type { MenuItem } from '../../ui/menu'
import { RowButton } from '../../ui/row-button'
import { useSharedMenu } from '../../ui/shared-menu'
import { VirtualTable } from '../../ui/virtual-table'
import type { Selection, Sorting, VirtualColumn } from '../../ui/virtual-table-columns'
import { useAllowanceWords } from './allowance-words'
import { AutoRenewSwitch } from './auto-renew-switch'
import type { Entry } from './entries'
import { type Around, EndCell, KeysCell, LeftCell, NameCell, StatusCell, UnknownCell } from './plan-cells'
import { useSetAutoRenew } from './use-auto-renew'
import { planPath } from './use-plan-menu'

function useAround(): Around {
  const { t } = useTranslation('plans')
  const formats = useFormats()
  const words = useAllowanceWords()
  const now = useNow()
  const { data: connections } = useCall('connections.list', {})
  return useMemo(
    () => ({ t, formats, words, now, connections: connections ?? [] }),
    [t, formats, words, now, connections],
  )
}

interface Doing {
  readonly connectionId: string | undefined
  readonly onMenu: (button: HTMLElement, entry: Entry) => void
  readonly onSetAutoRenew: (plan: AccountPlanView, isOn: boolean) => void
}

const widths = {
  name: 'minmax(140px, 1fr)',
  status: 'minmax(122px, 136px)',
  expires: 'minmax(118px, 132px)',
  autoRenew: '84px',
  keys: '74px',
  left: 'minmax(184px, 0.7fr)',
  actions: '44px',
} as const

type Column = VirtualColumn<Entry>

function columnsOf(around: Around, { connectionId, onMenu, onSetAutoRenew }: Doing): readonly Column[] {
  const { t } = around
  const column = (id: keyof typeof widths): Pick<Column, 'id' | 'header' | 'width'> => ({
    id,
    header: t(`account.columns.${id}`),
    width: widths[id],
  })
  return [
    {
      ...column('name'),
      sortable: true,
      cell: (entry, tabIndex) => <NameCell entry={entry} around={around} tabIndex={tabIndex} />,
    },
    { ...column('status'), sortable: true, cell: (entry) => <StatusCell entry={entry} around={around} /> },
    { ...column('expires'), sortable: true, cell: (entry) => <EndCell entry={entry} around={around} /> },
    {
      ...column('autoRenew'),
      cell: ({ kind, plan }, tabIndex) =>
        kind === 'account' && connectionId !== undefined ? (
          <AutoRenewSwitch
            connectionId={connectionId}
            plan={plan}
            label={t('account.autoRenew.of', { plan: plan.name })}
            tabIndex={tabIndex}
            onSet={onSetAutoRenew}
          />
        ) : (
          <UnknownCell around={around} />
        ),
    },
    { ...column('keys'), sortable: true, from: 840, cell: (entry) => <KeysCell entry={entry} around={around} /> },
    { ...column('left'), sortable: true, cell: (entry) => <LeftCell entry={entry} around={around} /> },
    {
      ...column('actions'),
      headerHidden: true,
      align: 'right',
      cell: (entry, tabIndex) => (
        <RowButton
          icon={Ellipsis}
          hasMenu
          tabIndex={tabIndex}
          label={t('account.menu', { plan: entry.plan.name })}
          onPress={(button) => onMenu(button, entry)}
        />
      ),
    },
  ]
}

export interface PlansTableProps {
  readonly entries: readonly Entry[]
  readonly connectionId: string | undefined
  readonly sorting: Sorting
  readonly onSort: (column: string) => void
  readonly selection: Selection<Entry> | undefined
  readonly menuOf: (entry: Entry) => readonly MenuItem[]
}

const keyOf = ({ id }: Entry): string => id

/** One row for each plan; what a handed-over key does not tell says so. */
export function PlansTable({ entries, connectionId, sorting, onSort, selection, menuOf }: PlansTableProps) {
  const { t } = useTranslation('plans')
  const navigate = useNavigate()
  const around = useAround()
  const onSetAutoRenew = useSetAutoRenew(connectionId ?? '')
  const { open, menu } = useSharedMenu()
  const onMenu = useCallback((button: HTMLElement, entry: Entry) => open(button, menuOf(entry)), [open, menuOf])
  const columns = useMemo(
    () => columnsOf(around, { connectionId, onMenu, onSetAutoRenew }),
    [around, connectionId, onMenu, onSetAutoRenew],
  )
  return (
    <>
      <VirtualTable
        label={t('list')}
        columns={columns}
        rows={entries}
        rowKey={keyOf}
        rowHeight={56}
        sorting={sorting}
        onSort={onSort}
        selection={selection}
        onOpen={({ id }) => void navigate(planPath(id))}
      />
      {menu}
    </>
  )
}
