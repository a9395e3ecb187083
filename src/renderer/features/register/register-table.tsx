import type { RegisterEntry } from '@shared/contract'
import { Ellipsis, Pencil, RotateCw } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFormats } from '../../format'
import { useNow } from '../../relative-time'
import type { MenuItem } from '../../ui/menu'
import { RowButton } from '../../ui/row-button'
import { useSharedMenu } from '../../ui/shared-menu'
import { VirtualTable } from '../../ui/virtual-table'
import type { Selection, VirtualColumn } from '../../ui/virtual-table-columns'
import { rotateKeyPath } from '../rotation/paths'
import { keyOf } from './entries'
import { type Around, CreatedCell, HandedOutCell, HolderCell, KeyCell, StatusCell, UsedCell } from './register-cells'
import { useRegisterStore } from './register-store'

type Column = VirtualColumn<RegisterEntry>

/** A key by its plan as well: keys of two plans may have the same name. */
const nameOf = ({ keyName: key, planName: plan }: RegisterEntry) => ({ key, plan })

interface Doing {
  readonly canRotate: (entry: RegisterEntry) => boolean
  readonly onRotate: (entry: RegisterEntry) => void
  readonly onEdit: (entry: RegisterEntry) => void
  readonly onMenu: (button: HTMLElement, entry: RegisterEntry) => void
}

const widths = {
  key: 'minmax(150px, 1.35fr)',
  holder: 'minmax(140px, 1fr)',
  status: '112px',
  handedOut: 'minmax(124px, 150px)',
  created: 'minmax(108px, 124px)',
  used: 'minmax(112px, 0.6fr)',
  actions: '112px',
} as const

function columnsOf(around: Around, { canRotate, onRotate, onEdit, onMenu }: Doing): readonly Column[] {
  const { t, tRotation } = around
  const column = (id: keyof typeof widths): Pick<Column, 'id' | 'header' | 'width'> => ({
    id,
    header: t(`columns.${id}`),
    width: widths[id],
  })
  return [
    { ...column('key'), sortable: true, cell: (entry) => <KeyCell entry={entry} around={around} /> },
    { ...column('holder'), sortable: true, cell: (entry) => <HolderCell entry={entry} around={around} /> },
    { ...column('status'), sortable: true, cell: (entry) => <StatusCell entry={entry} around={around} /> },
    { ...column('handedOut'), sortable: true, cell: (entry) => <HandedOutCell entry={entry} around={around} /> },
    { ...column('created'), sortable: true, from: 760, cell: (entry) => <CreatedCell entry={entry} around={around} /> },
    { ...column('used'), sortable: true, from: 900, cell: (entry) => <UsedCell entry={entry} around={around} /> },
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
              label={tRotation('rotateNamed', { key: t('keyOfPlan', nameOf(entry)) })}
              onPress={() => onRotate(entry)}
            />
          ) : null}
          <RowButton
            icon={Pencil}
            tabIndex={tabIndex}
            label={t('sheet.title', { key: t('keyOfPlan', nameOf(entry)) })}
            onPress={() => onEdit(entry)}
          />
          <RowButton
            icon={Ellipsis}
            hasMenu
            tabIndex={tabIndex}
            label={t('menu', { key: t('keyOfPlan', nameOf(entry)) })}
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
  readonly menuOf: (entry: RegisterEntry) => readonly MenuItem[]
  readonly canRotate: (entry: RegisterEntry) => boolean
  readonly onEdit: (entry: RegisterEntry) => void
}

/** One row for each key: what it is, who holds it, how it stands, and since when. */
export function RegisterTable({ entries, selection, menuOf, canRotate, onEdit }: RegisterTableProps) {
  const { t } = useTranslation('register')
  const { t: tRotation } = useTranslation('rotation')
  const navigate = useNavigate()
  const formats = useFormats()
  const now = useNow()
  const { sorting, sort } = useRegisterStore()
  const { open, menu } = useSharedMenu()
  const columns = useMemo(() => {
    const onMenu = (button: HTMLElement, entry: RegisterEntry): void => open(button, menuOf(entry))
    const onRotate = (entry: RegisterEntry): void => void navigate(rotateKeyPath(entry))
    return columnsOf({ t, tRotation, formats, now }, { canRotate, onRotate, onEdit, onMenu })
  }, [t, tRotation, formats, now, open, menuOf, canRotate, onEdit, navigate])
  return (
    <>
      <VirtualTable
        label={t('list')}
        columns={columns}
        rows={entries}
        rowKey={keyOf}
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
