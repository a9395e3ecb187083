import { Ellipsis } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import type { MenuItem } from '../../ui/menu'
import { RowButton } from '../../ui/row-button'
import { useSharedMenu } from '../../ui/shared-menu'
import { VirtualTable } from '../../ui/virtual-table'
import type { VirtualColumn } from '../../ui/virtual-table-columns'
import { columnsOf } from './columns'
import { FieldValue } from './field-value'
import { fieldOf } from './lookup'
import type { Json, Resource, ResourceColumn, Scope, Subject } from './resource'
import styles from './resources.module.css'
import { subjectOf, thingPath } from './subject'
import { useText } from './use-text'

/** A row of the page, with its place in it: not every row has an identifier. */
interface PlacedRow {
  readonly key: string
  readonly subject: Subject
}

interface TableProps {
  readonly resource: Resource
  readonly scope: Scope
  readonly rows: readonly Json[]
  /** Shows the fields of a row that has no page of its own. */
  readonly onShow: (subject: Subject) => void
  readonly menuOf: (subject: Subject) => readonly MenuItem[]
}

/** Whether a row has a page that asks for it anew. */
const hasPage = ({ get }: Resource, { id }: Subject): boolean => get !== undefined && id !== undefined

function NameCell({
  resource,
  subject,
  onShow,
  tabIndex,
}: Pick<TableProps, 'resource' | 'onShow'> & { readonly subject: Subject; readonly tabIndex: number }) {
  const { t } = useTranslation('resources')
  const name = subject.name === '' ? t('unnamed') : subject.name
  if (subject.id !== undefined && hasPage(resource, subject)) {
    return (
      <Link
        className={styles.name}
        to={thingPath(resource, subject.scope, subject.id)}
        tabIndex={tabIndex}
        title={name}
      >
        {name}
      </Link>
    )
  }
  return (
    <button type="button" className={styles.name} tabIndex={tabIndex} title={name} onClick={() => onShow(subject)}>
      {name}
    </button>
  )
}

const valueColumn = (column: ResourceColumn, header: string): VirtualColumn<PlacedRow> => {
  const { id, names, format, width = 'minmax(90px, 1fr)', align, from } = column
  return {
    id,
    header,
    width,
    ...(align && { align }),
    ...(from !== undefined && { from }),
    cell: ({ subject }) => (
      <span className={styles.cell}>
        <FieldValue value={fieldOf(subject.row, names)} {...(format && { format })} />
      </span>
    ),
  }
}

function useColumns({ resource, rows, onShow, menuOf }: TableProps) {
  const { t } = useTranslation('resources')
  const text = useText()
  const { open, menu } = useSharedMenu()
  const onMenu = useCallback((button: HTMLElement, subject: Subject) => open(button, menuOf(subject)), [open, menuOf])
  const columns = useMemo(
    (): readonly VirtualColumn<PlacedRow>[] => [
      {
        id: 'name',
        header: text(resource.words.name),
        width: 'minmax(160px, 1.6fr)',
        cell: ({ subject }, tabIndex) => <NameCell {...{ resource, subject, onShow, tabIndex }} />,
      },
      ...columnsOf(resource, rows).map((column) => valueColumn(column, text(column.header))),
      {
        id: 'menu',
        header: t('actions'),
        headerHidden: true,
        width: '44px',
        align: 'right',
        cell: ({ subject }, tabIndex) => (
          <RowButton
            icon={Ellipsis}
            hasMenu
            tabIndex={tabIndex}
            label={t('menuOf', { name: subject.name })}
            onPress={(button) => onMenu(button, subject)}
          />
        ),
      },
    ],
    [resource, rows, text, t, onShow, onMenu],
  )
  return { columns, menu }
}

/** The rows of one page: name, the declared columns that have something to show, and what can be done. */
export function ResourceTable(props: TableProps) {
  const { resource, scope, rows, onShow } = props
  const navigate = useNavigate()
  const text = useText()
  const { columns, menu } = useColumns(props)
  const placed = useMemo(
    () => rows.map((row, index): PlacedRow => ({ key: String(index), subject: subjectOf(resource, row, scope) })),
    [rows, resource, scope],
  )
  const openRow = ({ subject }: PlacedRow): void => {
    const { id } = subject
    if (id !== undefined && hasPage(resource, subject)) void navigate(thingPath(resource, scope, id))
    else onShow(subject)
  }
  return (
    <>
      <VirtualTable
        label={text(resource.words.title)}
        columns={columns}
        rows={placed}
        rowKey={({ key }) => key}
        rowHeight={40}
        onOpen={openRow}
      />
      {menu}
    </>
  )
}
