import type { CellAddress } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { arrangeRow, type CellMap, columnName, columnNumber } from './cells'
import { useEditing } from './editing'

/** Letter of a column in blind mode. */
export const blindLetter = (index: number): string => String.fromCodePoint(65 + index)

/** Returns the name of a cell, such as "aurora-large, test case 3, run 2". Hidden columns have a letter. */
export function useCellName(cells: CellMap): (place: CellAddress) => string {
  const { t } = useTranslation('compare')
  const { getSetup } = useEditing()
  return (place) => {
    const setup = getSetup()
    const { columnId, caseId, repeat = 1 } = place
    const { columns, isHidden } = arrangeRow(setup, place, cells)
    const columnIndex = columns.findIndex(({ id }) => id === columnId)
    const column = columns[columnIndex]
    const name = isHidden
      ? t('blind.answer', { letter: blindLetter(columnIndex) })
      : ((column && columnName(column)) ?? t('column.numbered', { number: columnNumber(setup, columnId) }))
    const caseIndex = setup.cases.findIndex(({ id }) => id === caseId)
    const cellName = caseIndex < 0 ? name : t('cell.name', { column: name, number: caseIndex + 1 })
    return repeat === 1 ? cellName : t('cell.repeatName', { name: cellName, repeat })
  }
}
