import type { PlanView, RelayTool, RelayView, ToolView } from '@shared/contract'
import i18next from 'i18next'
import { ChevronRight, Copy, List, Undo2, Wrench } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { copyText } from '../../copy-text'
import { ExplainedFailure } from '../../failures'
import { formatCount, formatTime } from '../../format'
import { useAction } from '../../ipc'
import { pointPath, requestsPath } from '../../paths'
import { RelativeTime, useNow } from '../../relative-time'
import { StatusDot, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { MenuButton, type MenuItem } from '../../ui/menu'
import { Section } from '../../ui/page'
import { Stack } from '../../ui/rows'
import { actionsColumn, type Column, Table } from '../../ui/table'
import { ToolInitials, toolPath, useOpenForm, userSite } from '../tools'
import { ToolUsageTrend } from '../usage'
import { UpstreamDialog } from './upstream-dialog'

const t = i18next.getFixedT(null, 'relay')

interface RelayToolsProps {
  readonly view: RelayView
  readonly tools: readonly ToolView[]
  readonly plans: readonly PlanView[]
}

/** Sorts tools: those on the relay, then other installed ones, then others, each group by name. */
function orderTools({ view, tools }: RelayToolsProps) {
  const getRank = ({ toolId, isPointedHere }: RelayTool): number =>
    isPointedHere ? 0 : tools.some(({ id, installed }) => id === toolId && installed) ? 1 : 2
  const sortedTools = view.tools.toSorted((a, b) => getRank(a) - getRank(b) || a.toolName.localeCompare(b.toolName))
  return { sortedTools, activeTools: sortedTools.filter((relayTool) => getRank(relayTool) < 2) }
}

export function RelayTools(props: RelayToolsProps) {
  const { view, plans } = props
  const [changing, setChanging] = useState<string>()
  const [showsOthers, setShowsOthers] = useState(false)
  const currentTime = useNow()
  const { sortedTools, activeTools } = orderTools(props)
  const otherCount = sortedTools.length - activeTools.length
  const showsAllTools = showsOthers || activeTools.length === 0
  const changedTool = view.tools.find(({ toolId }) => toolId === changing)
  return (
    <Section
      title={t('tools.title')}
      description={view.tools.some(({ isPointedHere }) => isPointedHere) ? t('tools.hint') : null}
    >
      <div className="[&_td]:h-12">
        <Table
          caption={t('tools.list')}
          rows={showsAllTools ? sortedTools : activeTools}
          rowKey={({ toolId }) => toolId}
          columns={useColumns(props, setChanging)}
          detail={(relayTool) =>
            findFailure(relayTool) ? (
              <ToolFailure tool={relayTool} plans={plans} onChangeUpstream={() => setChanging(relayTool.toolId)} />
            ) : relayTool.lastSwitch && new Date(relayTool.lastSwitch.until) > currentTime ? (
              <Callout
                tone="warning"
                title={t('way.overload.active', {
                  ...relayTool.lastSwitch,
                  time: formatTime(relayTool.lastSwitch.until),
                })}
              />
            ) : null
          }
        />
      </div>
      {otherCount === 0 || activeTools.length === 0 ? null : (
        <button
          type="button"
          className="group flex w-max items-center gap-1.5 rounded-sm px-1 py-0.5 text-muted text-sm hover:text-text"
          aria-expanded={showsOthers}
          onClick={() => setShowsOthers(!showsOthers)}
        >
          <ChevronRight size={14} strokeWidth={2} className="transition-transform group-aria-expanded:rotate-90" />
          {t('tools.others', { count: otherCount })}
        </button>
      )}
      {changedTool ? <UpstreamDialog tool={changedTool} plans={plans} onClose={() => setChanging(undefined)} /> : null}
    </Section>
  )
}

/** Color of a tool on the relay, by the state of the relay. */
const toolTones: Record<RelayView['state'], Tone> = {
  on: 'success',
  starting: 'neutral',
  paused: 'warning',
  off: 'danger',
  failed: 'danger',
}

function useColumns(
  { view, tools }: RelayToolsProps,
  onChangeUpstream: (toolId: string) => void,
): readonly Column<RelayTool>[] {
  const openForm = useOpenForm()
  const none = <span className="text-faint">–</span>
  const listItems = ({ toolId, address }: RelayTool): readonly MenuItem[] => [
    { label: t('tools.requestsOf'), icon: List, to: requestsPath({ scope: 'relay', toolId }) },
    { label: t('tools.open'), icon: Wrench, to: toolPath(toolId) },
    { label: t('tools.copy'), icon: Copy, onSelect: () => copyText(address, { description: address }) },
    ...(tools.find(({ id }) => id === toolId)?.routes.includes('gateway')
      ? ([
          'separator',
          { label: t('tools.direct'), icon: Undo2, to: pointPath({ to: 'gateway', toolIds: [toolId] }) },
        ] as const)
      : []),
  ]
  return [
    {
      id: 'tool',
      header: t('tools.columns.tool'),
      width: '27%',
      cell: ({ toolId, toolName, isPointedHere }) => (
        <span className="flex min-w-0 items-center gap-2.5">
          <ToolInitials tool={{ name: toolName }} />
          <span className="flex min-w-0 flex-1 flex-col leading-4.25 *:truncate">
            <Link to={toolPath(toolId)} className="font-strong text-text">
              {toolName}
            </Link>
            <span className="truncate text-muted text-xs">
              <StatusDot
                tone={isPointedHere ? toolTones[view.state] : 'neutral'}
                label={t(!isPointedHere ? 'tools.not' : view.state === 'on' ? 'tools.here' : 'tools.waits')}
              />
            </span>
          </span>
        </span>
      ),
    },
    {
      id: 'way',
      header: t('tools.columns.way'),
      cell: ({ upstreams: [way, ...failover] }) => {
        if (!way) return none
        const { planName, keyName } = way
        const details = [
          ...(planName === undefined ? [] : [keyName ?? t('tools.keyGone')]),
          ...(failover.length > 0 ? [t('tools.then', { count: failover.length })] : []),
        ].join(' · ')
        return (
          <Stack>
            <span className={planName === undefined ? 'text-danger' : undefined} title={planName}>
              {planName ?? t('tools.planGone')}
            </span>
            <span className="truncate text-muted text-xs" title={details}>
              {details}
            </span>
          </Stack>
        )
      },
    },
    {
      id: 'requests',
      header: t('tools.columns.requests'),
      width: '148px',
      align: 'right',
      cell: ({ requests, toolId }) => {
        if (requests === 0) return none
        const { short, exact } = formatCount(requests)
        return (
          <span className="inline-flex items-center justify-end gap-2.5">
            <ToolUsageTrend toolId={toolId} />
            <span title={`${exact}. ${t('tools.requestsHint')}`}>{short}</span>
          </span>
        )
      },
    },
    {
      id: 'last',
      header: t('tools.columns.last'),
      width: '120px',
      cell: (relayTool) => {
        const { open, lastAt, lastFailure, isPointedHere } = relayTool
        if (open > 0) return <StatusDot tone="accent" label={t('state.open', { count: open })} />
        if (lastAt === undefined) return isPointedHere ? <span className="text-faint">{t('tools.never')}</span> : none
        return (
          <Stack>
            <RelativeTime at={lastAt} />
            {lastFailure && !findFailure(relayTool) ? (
              <span className="truncate text-muted text-xs">{t('tools.wentAway')}</span>
            ) : null}
          </Stack>
        )
      },
    },
    {
      ...actionsColumn(t('tools.columns.actions'), '136px'),
      cell: (relayTool) => {
        const { toolId, toolName: tool, isPointedHere } = relayTool
        if (!isPointedHere) {
          return (
            <Button
              size="sm"
              variant="ghost"
              aria-label={t('tools.setUpOf', { tool })}
              onClick={() => openForm({ id: toolId, site: userSite }, { route: 'relay' })}
            >
              {t('tools.setUp')}
            </Button>
          )
        }
        return (
          <span className="inline-flex items-center gap-0.5">
            <Button size="sm" aria-label={t('tools.changeOf', { tool })} onClick={() => onChangeUpstream(toolId)}>
              {t('tools.change')}
            </Button>
            <MenuButton size="sm" label={t('tools.more', { tool })} items={listItems(relayTool)} />
          </span>
        )
      },
    },
  ]
}

/** Failure of the tool's last request. Undefined if the request was canceled. */
export const findFailure = ({ lastFailure }: RelayTool) =>
  lastFailure?.code === 'net.cancelled' ? undefined : lastFailure

function ToolFailure(props: {
  readonly tool: RelayTool
  readonly plans: readonly PlanView[]
  readonly onChangeUpstream: () => void
}) {
  const { tool, plans, onChangeUpstream } = props
  const navigate = useNavigate()
  const recheckKeychain = useAction('app.recheckVault', { invalidates: ['app', 'plans', 'relay'] })
  const failure = findFailure(tool)
  if (!failure) return null
  const { toolId, toolName } = tool
  const [way] = tool.upstreams
  const plan = plans.find(({ id }) => id === way?.planId)
  const toPlan = (query: string) => (plan ? () => void navigate(`/plans/${plan.id}?${query}`) : undefined)
  return (
    <ExplainedFailure
      failure={failure}
      tone="warning"
      context={{ tool: toolName, plan: way?.planName, requestAddress: plan?.gatewayUrl }}
      busy={recheckKeychain.isPending}
      handlers={{
        pasteKey: toPlan(plan?.origin ? 'tab=keys' : 'paste=1'),
        setAddress: toPlan('edit=1'),
        choosePlan: onChangeUpstream,
        chooseModel: () => void navigate(toolPath(toolId, 'configure')),
        recheckVault: () => recheckKeychain.mutate({}),
      }}
      actions={[
        tool.requests > 0 && {
          label: t('tools.failures'),
          variant: 'ghost',
          to: requestsPath({ scope: 'relay', toolId, onlyErrors: true }),
        },
        failure.code === 'key.notFound' && { label: t('tools.choose'), onClick: onChangeUpstream },
      ]}
    />
  )
}
