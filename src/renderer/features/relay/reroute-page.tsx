import type { PlanView, Route, ToolChanges, ToolView } from '@shared/contract'
import { hasNoChanges } from '@shared/tool-changes'
import { Waypoints } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useAction, useCall } from '../../ipc'
import { joinQueries, Loaded } from '../../loaded'
import { relayPath } from '../../paths'
import { Callout } from '../../ui/callout'
import { Card, EmptyState, Page, PageHeader, Section } from '../../ui/page'
import { Switch } from '../../ui/switch'
import {
  AllOrNothing,
  ApplyBar,
  BulkPreviewArea,
  LayoutToggle,
  readRoute,
  SkippedTools,
  ToolWarnings,
  toolPath,
  usePreview,
  WriteFailure,
} from '../tools'
import { prepareReroute, type Reroute } from './use-relay'

interface RerouteProps {
  readonly to: Route
  readonly reroute: Reroute
  readonly tools: readonly ToolView[]
  readonly onDone: () => void
}

function useApplyReroute({ to, reroute: { choices }, tools, onDone }: RerouteProps) {
  const [accepted, setAccepted] = useState(false)
  const shown = usePreview('tools.previewMany', choices.length > 0 ? { choices: [...choices] } : undefined)
  const { preview } = shown
  const writing = useAction('tools.applyMany', {
    invalidates: ['tools', 'plans', 'profiles', 'relay'],
    onSuccess: onDone,
  })
  // The relay's token, unlike the key, needs no consent.
  const plainTextIds = choices.flatMap(({ toolId, delivery }) => (delivery === 'plain' && to !== 'relay' ? toolId : []))
  const plainText = tools.flatMap(({ id, name }) => (plainTextIds.includes(id) ? name : []))
  const lacksConsent = plainText.length > 0 && !accepted
  const isIdle = preview?.tools.every(hasNoChanges) ?? false
  const isOld = shown.isOld || (writing.isError && shown.isAsking)
  const canApply = preview !== undefined && !isOld && !isIdle && !lacksConsent && !writing.isPending
  const apply = canApply ? () => writing.mutate({ previewId: preview.previewId }) : undefined
  return { shown, writing, plainText, accepted, setAccepted, lacksConsent, isIdle, apply }
}

function BlockedTools(
  props: Pick<RerouteProps, 'reroute' | 'tools'> & Pick<Parameters<typeof SkippedTools>[0], 'left'>,
) {
  const { reroute: preparedReroute, ...skipped } = props
  const { t } = useTranslation('relay')
  return (
    <SkippedTools
      {...skipped}
      otherTools={preparedReroute.blocked.map(({ tool: { id, name, site }, why }) => ({
        id: `${id} ${JSON.stringify(site)}`,
        name,
        reason: t(`point.stuck.${why}`),
        action: {
          label: t(why === 'onlyRelay' ? 'point.undo' : 'point.setUp'),
          variant: 'ghost',
          to: toolPath(id, why === 'onlyRelay' ? 'undo' : 'configure', site),
        },
      }))}
    />
  )
}

function RerouteForm(props: RerouteProps) {
  const { to, reroute: preparedReroute, tools } = props
  const { t } = useTranslation(['relay', 'tools'])
  const state = useApplyReroute(props)
  const { shown, writing, plainText, apply } = state
  const count = shown.preview?.tools.length ?? 0
  const remedies = { tryAgain: shown.refresh, previewAgain: shown.refresh }
  const renderNotes = ({ toolId, site, warnings }: ToolChanges) => {
    const tool = tools.find(({ id }) => id === toolId)
    return tool && warnings.length > 0 ? <ToolWarnings warnings={warnings} tool={tool} site={site} /> : null
  }
  if (preparedReroute.choices.length === 0) return <BlockedTools reroute={preparedReroute} tools={tools} left={[]} />
  return (
    <>
      {plainText.length > 0 ? (
        <Card>
          <Switch
            checked={state.accepted}
            onCheckedChange={state.setAccepted}
            label={t('relay:point.consent', { tools: plainText.join(', ') })}
            hint={t('tools:consentHint')}
          />
        </Card>
      ) : null}
      <Section title={t('tools:changes')} description={t('tools:changesHint')} actions={<LayoutToggle />}>
        <WriteFailure failure={writing.error?.failure} isMany handlers={remedies} />
        <BulkPreviewArea shown={shown} tools={tools} renderNotes={renderNotes} handlers={remedies} />
      </Section>
      <BlockedTools reroute={preparedReroute} tools={tools} left={shown.preview?.left ?? []} />
      {count > 0 ? (
        <ApplyBar
          label={t(`relay:point.${to}.label`, { count })}
          busy={writing.isPending}
          apply={apply}
          reason={
            state.isIdle ? t('tools:nothingToDo') : state.lacksConsent ? t('relay:point.consentNeeded') : undefined
          }
        >
          <AllOrNothing title={t(`relay:point.${to}.outcome`, { count })} />
        </ApplyBar>
      ) : null}
    </>
  )
}

function RerouteSuccess({ to }: { readonly to: Route }) {
  const { t } = useTranslation(['relay', 'tools'])
  return (
    <div role="status">
      <Callout
        tone="success"
        title={t(`relay:point.${to}.done`)}
        actions={[
          { label: t('tools:many.undo'), variant: 'ghost', to: '/history' },
          { label: t('relay:point.back'), to: relayPath },
        ]}
      >
        {t(`relay:point.${to}.doneText`)}
      </Callout>
    </div>
  )
}

function ReroutePreview(props: {
  readonly tools: readonly ToolView[]
  readonly plans: readonly PlanView[]
  readonly to: Route
}) {
  const { tools, plans, to } = props
  const { t } = useTranslation('relay')
  const [query] = useSearchParams()
  const [isDone, setIsDone] = useState(false)
  const preparedReroute = prepareReroute(tools, plans, { to, toolIds: query.get('tools')?.split(',') })
  if (isDone) return <RerouteSuccess to={to} />
  if (preparedReroute.choices.length + preparedReroute.blocked.length === 0) {
    return (
      <EmptyState icon={Waypoints} title={t(`point.${to}.none`)} actions={[{ label: t('point.back'), to: relayPath }]}>
        {t(`point.${to}.noneText`)}
      </EmptyState>
    )
  }
  return <RerouteForm to={to} reroute={preparedReroute} tools={tools} onDone={() => setIsDone(true)} />
}

/** Reroutes tools to the gateway or to the relay's current port, all or none. */
export function ReroutePage() {
  const { t } = useTranslation('relay')
  const [query] = useSearchParams()
  const targetRoute = readRoute(query.get('to')) ?? 'gateway'
  const toolsQuery = useCall('tools.list', {})
  const plansQuery = useCall('plans.list', {})
  return (
    <Page>
      <PageHeader
        title={t(`point.${targetRoute}.title`)}
        breadcrumb={[{ label: t('title'), to: relayPath }]}
        state={t(`point.${targetRoute}.state`)}
      />
      <Loaded query={joinQueries(toolsQuery, plansQuery)}>
        {([tools, plans]) => <ReroutePreview tools={tools} plans={plans} to={targetRoute} />}
      </Loaded>
    </Page>
  )
}
