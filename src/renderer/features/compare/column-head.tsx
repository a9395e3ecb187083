import type { ComparisonColumn } from '@shared/contract'
import { ArrowLeft, ArrowRight, Copy, Ellipsis, Play, SlidersHorizontal, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../ui/badge'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { countSet } from '../playground/parameters'
import { useTargetWords } from '../playground/targets'
import { useCellActions } from './cell-actions'
import { columnName } from './column-name'
import { useEditing } from './editing'
import styles from './grid.module.css'
import { most } from './limits'
import { withCopiedColumn, withMovedColumn, withoutColumn } from './setup'

interface ColumnHeadProps {
  readonly column: ComparisonColumn
  /** From 1. */
  readonly number: number
  readonly count: number
  readonly onRun: (columnId: string) => void
}

function useColumnMenu({ column, number, count, onRun }: ColumnHeadProps) {
  const { t } = useTranslation('compare')
  const { setUp } = useCellActions()
  const { edit } = useEditing()
  const { id } = column
  return [
    { label: t('column.setUp'), icon: SlidersHorizontal, onSelect: () => setUp(id) },
    { label: t('column.run'), icon: Play, disabled: !column.target, onSelect: () => onRun(id) },
    'separator' as const,
    {
      label: t('column.duplicate'),
      icon: Copy,
      disabled: count >= most.columns,
      onSelect: () => edit((setup) => withCopiedColumn(setup, column)),
    },
    {
      label: t('column.left'),
      icon: ArrowLeft,
      disabled: number === 1,
      onSelect: () => edit((setup) => withMovedColumn(setup, id, -1)),
    },
    {
      label: t('column.right'),
      icon: ArrowRight,
      disabled: number === count,
      onSelect: () => edit((setup) => withMovedColumn(setup, id, 1)),
    },
    'separator' as const,
    {
      label: t('column.remove'),
      icon: Trash2,
      danger: true,
      disabled: count === 1,
      onSelect: () => edit((setup) => withoutColumn(setup, id)),
    },
  ]
}

function Marks({ column }: Pick<ColumnHeadProps, 'column'>) {
  const { t } = useTranslation('compare')
  const set = countSet(column.parameters)
  return (
    <>
      {column.prompt === undefined ? null : <Badge tone="accent">{t('column.ownPrompt')}</Badge>}
      {column.system.trim() === '' ? null : (
        <span title={column.system}>
          <Badge>{t('column.system')}</Badge>
        </span>
      )}
      {set === 0 ? null : <Badge>{t('column.parameters', { count: set })}</Badge>}
    </>
  )
}

/** The head of a column: what answers in it, and what can be done with it. A press on it opens how it is set up. */
export function ColumnHead(props: ColumnHeadProps) {
  const { column, number } = props
  const { t } = useTranslation('compare')
  const { setUp } = useCellActions()
  const words = useTargetWords()
  const items = useColumnMenu(props)
  const name = columnName(column) ?? t('column.numbered', { number })
  const where = column.target ? words(column.target) : undefined
  const model = column.name.trim() === '' ? undefined : column.target?.modelCode
  return (
    <th scope="col" className={styles.head}>
      <button type="button" className={styles.headButton} onClick={() => setUp(column.id)}>
        <span className={styles.headName}>{name}</span>
        <span className={styles.headWhere}>
          {where ? [model, where.where, where.standard].filter(Boolean).join(' · ') : t('cell.noModel')}
        </span>
      </button>
      <span className={styles.headMarks}>
        <Marks column={column} />
      </span>
      <Menu
        align="end"
        trigger={<IconButton size="sm" icon={Ellipsis} label={t('column.more', { name })} />}
        items={items}
      />
    </th>
  )
}
