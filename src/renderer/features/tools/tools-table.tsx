import type { ToolView } from '@shared/contract'
import { Ellipsis } from 'lucide-react'
import { useCallback, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ButtonLink } from '../../ui/button'
import { RowButton } from '../../ui/row-button'
import { useSharedMenu } from '../../ui/shared-menu'
import { VirtualTable } from '../../ui/virtual-table'
import type { Selection, VirtualColumn } from '../../ui/virtual-table-columns'
import { toolHere } from './sites'
import { NameCell, StatusCell, UseCell } from './tool-cells'
import { nextStep, standingOf, toolPath } from './tool-status'
import styles from './tools.module.css'
import { useToolMenu } from './use-tool-menu'

type Column = VirtualColumn<ToolView>

function Step({ tool, tabIndex }: { readonly tool: ToolView; readonly tabIndex: number }) {
  const { t } = useTranslation('tools')
  const { label, to } = nextStep(tool)
  return (
    <ButtonLink size="sm" variant={label === 'open' ? 'ghost' : 'secondary'} to={to} tabIndex={tabIndex}>
      {t(`actions.${label}`)}
      <span className="sr-only"> {tool.name}</span>
    </ButtonLink>
  )
}

function useColumns(onMenu: (button: HTMLElement, tool: ToolView) => void): readonly Column[] {
  const { t } = useTranslation('tools')
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('columns.name'),
        width: 'minmax(172px, 1.5fr)',
        cell: (tool, tabIndex) => <NameCell tool={tool} tabIndex={tabIndex} />,
      },
      { id: 'status', header: t('columns.status'), width: '172px', cell: (tool) => <StatusCell tool={tool} /> },
      { id: 'use', header: t('columns.use'), width: 'minmax(110px, 1fr)', cell: (tool) => <UseCell tool={tool} /> },
      {
        id: 'version',
        header: t('columns.version'),
        width: '88px',
        from: 760,
        cell: ({ version }) => <span className={styles.version}>{version ?? '–'}</span>,
      },
      {
        id: 'actions',
        header: t('columns.actions'),
        headerHidden: true,
        width: '132px',
        align: 'right',
        cell: (tool, tabIndex) => (
          <span className={styles.actions}>
            <Step tool={tool} tabIndex={tabIndex} />
            {tool.kind === 'written' ? (
              <RowButton
                icon={Ellipsis}
                hasMenu
                tabIndex={tabIndex}
                label={t('actions.more', { tool: tool.name })}
                onPress={(button) => onMenu(button, tool)}
              />
            ) : (
              <span className={styles.noMenu} />
            )}
          </span>
        ),
      },
    ],
    [t, onMenu],
  )
}

const idOf = ({ id }: ToolView): string => id

interface ToolsTableProps {
  readonly tools: readonly ToolView[]
  /** Missing while nothing can be set up. */
  readonly selection: Selection<ToolView> | undefined
}

/** One row for each tool: what it is, how it stands, what it uses, and the next thing to do. */
export function ToolsTable({ tools, selection }: ToolsTableProps) {
  const { t } = useTranslation('tools')
  const navigate = useNavigate()
  const { itemsOf, dialog } = useToolMenu()
  const { open, menu } = useSharedMenu()
  // The columns stay the same while the items change, so that the rows need not be drawn anew.
  const latest = useRef(itemsOf)
  latest.current = itemsOf
  const openMenu = useCallback(
    (button: HTMLElement, tool: ToolView) => open(button, latest.current(toolHere(tool, standingOf(tool).site))),
    [open],
  )
  return (
    <>
      <VirtualTable
        label={t('list')}
        columns={useColumns(openMenu)}
        rows={tools}
        rowKey={idOf}
        rowHeight={44}
        selection={selection}
        onOpen={(tool) => void navigate(toolPath(tool.id, undefined, standingOf(tool).site))}
      />
      {menu}
      {dialog}
    </>
  )
}
