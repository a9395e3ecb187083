import type { MethodInput } from '@shared/contract'
import clsx from 'clsx'
import { RefreshCw, SquareTerminal } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { SearchField } from '../../ui/search-field'
import toolbarStyles from '../../ui/toolbar.module.css'
import type { Json } from '../resources'
import { searchedRows, useCopyCall } from '../resources'
import memoryStyles from './memory.module.css'

interface FindBarProps {
  readonly find: string
  readonly onFind: (text: string) => void
  readonly label: string
  /** How many were found, and among which. */
  readonly said: ReactNode
  readonly isRefreshing: boolean
  readonly onRefresh: () => void
  /** What is copied as an API call. */
  readonly code: Omit<MethodInput<'resources.code'>, 'language'>
  readonly children?: ReactNode
}

/** Over a long list: the search in what is loaded, more buttons, the call as code, refresh. */
export function FindBar({ find, onFind, label, said, isRefreshing, onRefresh, code, children }: FindBarProps) {
  const { t } = useTranslation('resources')
  const codeItems = useCopyCall()
  const { connectionId, operation, path, query, body } = code
  const copied = {
    connectionId,
    operation,
    ...(path && { path }),
    ...(query && { query }),
    ...(body !== undefined && { body }),
  }
  return (
    <div className={toolbarStyles.bar}>
      <SearchField label={label} value={find} onChange={onFind} hasFindKey />
      <span className={clsx(toolbarStyles.shown, memoryStyles.said)} role="status">
        {said}
      </span>
      <span style={{ flex: 1 }} />
      {children}
      <Menu
        align="end"
        items={codeItems(copied)}
        trigger={<IconButton icon={SquareTerminal} label={t('code.title')} />}
      />
      <IconButton icon={RefreshCw} label={t('refresh')} busy={isRefreshing} onClick={onRefresh} />
    </div>
  )
}

/** The places of the rows that have every word of a text. */
export const foundIn = (rows: readonly (readonly [number, Json])[], find: string): readonly number[] =>
  rows.flatMap(([place, row]) => (searchedRows([row], find).length > 0 ? [place] : []))
