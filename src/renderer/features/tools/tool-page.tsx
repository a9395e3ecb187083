import type { GuideView, PlanView } from '@shared/contract'
import { Activity, ChevronRight, SearchX } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearchParams } from 'react-router'
import { CopyText } from '../../copy-text'
import { CheckState, ExplainedFailure } from '../../failures'
import { useAction, useCall } from '../../ipc'
import { joinQueries, Loaded } from '../../loaded'
import { useCurrentPlan } from '../../session'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { QuietCode } from '../../ui/code'
import { Card, EmptyState, Page, Section } from '../../ui/page'
import { Hint } from '../../ui/text'
import { planContext } from '../connections/account'
import { useModelQuotas } from '../usage/quota'
import { FieldGrid, PlanChoiceFields } from './choice-form'
import { ChangesSkeleton, usePreview } from './file-changes'
import { readSite, type SiteTool, setupKey, toSiteTool, userSite } from './sites'
import { isModelCode, keyChoice, resolveToolForm, useToolsStore } from './tool-form'
import { ToolHeader } from './tool-header'
import { AddPlanHint } from './tool-mark'
import { RequestAddress } from './tool-overview'
import { CopyKeyButton, ToolWarnings } from './tool-warnings'
import { useRemedies } from './use-tool-actions'
import { WrittenTool } from './written-tool'

/** Page of a tool whose files this app does not write. */
function OtherTool({ tool, plans }: { readonly tool: SiteTool; readonly plans: readonly PlanView[] }) {
  return (
    <>
      <ToolHeader tool={tool} />
      {tool.kind === 'unsupported' ? (
        <UnsupportedTool tool={tool} />
      ) : plans.length === 0 ? (
        <AddPlanHint />
      ) : (
        <GuidedTool tool={tool} plans={plans} />
      )}
    </>
  )
}

/** Page of a tool in one scope (user, project or WSL), which the page address contains. Default: the user's home. */
export function ToolPage() {
  const { t } = useTranslation('tools')
  const { toolId = '' } = useParams()
  const [query] = useSearchParams()
  const toolsQuery = useCall('tools.list', {})
  const plansQuery = useCall('plans.list', {})
  return (
    <Page>
      <Loaded query={joinQueries(toolsQuery, plansQuery)}>
        {([tools, plans]) => {
          const tool = tools.find(({ id }) => id === toolId)
          if (!tool)
            return (
              <EmptyState icon={SearchX} title={t('unknown')} actions={[{ label: t('many.toTools'), to: '/tools' }]} />
            )
          if (tool.kind !== 'written')
            return <OtherTool key={tool.id} tool={toSiteTool(tool, userSite)} plans={plans} />
          const site = readSite(query.get('at'))
          return <WrittenTool key={setupKey(tool.id, site)} tool={tool} setup={toSiteTool(tool, site)} plans={plans} />
        }}
      </Loaded>
    </Page>
  )
}

function UnsupportedTool({ tool }: { readonly tool: SiteTool }) {
  const { t } = useTranslation('tools')
  const reason = tool.reason ?? 'platform'
  return (
    <Callout tone="info" title={t(`unsupported.${reason}.title`, { tool: tool.name })}>
      <p>{t(`unsupported.${reason}.text`, { tool: tool.name })}</p>
      <p>{t(`unsupported.${reason}.later`, { tool: tool.name })}</p>
    </Callout>
  )
}

function GuidedTool({ tool, plans }: { readonly tool: SiteTool; readonly plans: readonly PlanView[] }) {
  const { t } = useTranslation('tools')
  const pickedChoice = useToolsStore((store) => store.picked[tool.id])
  const pickChoice = useToolsStore((store) => store.pick)
  const { listExhausted } = useModelQuotas()
  const choice = resolveToolForm({
    tool,
    plans,
    currentPlan: useCurrentPlan(),
    picked: pickedChoice ?? {},
    listExhausted,
  })
  const input =
    choice && isModelCode(choice.modelCode)
      ? {
          toolId: tool.id,
          planId: choice.plan.id,
          ...keyChoice(choice.plan, choice.keyId),
          modelCode: choice.modelCode.trim(),
        }
      : undefined
  const shownGuide = usePreview('tools.guide', input)
  const remedies = useRemedies(tool, choice?.plan.id, shownGuide.refresh)
  // The result of a check is only valid for the displayed values, so it is reset when they change.
  const checkGuide = useAction('tools.checkGuide')
  if (!choice) return null
  const { plan, keyId } = choice
  return (
    <>
      <Card>
        <div className="flex flex-col gap-4">
          <Hint>{t('guide.why', { tool: tool.name })}</Hint>
          <FieldGrid>
            <PlanChoiceFields
              plans={plans}
              choice={choice}
              onPick={(change) => {
                checkGuide.reset()
                pickChoice(tool.id, change)
              }}
            />
          </FieldGrid>
        </div>
      </Card>
      <Section title={t('guide.title')}>
        {shownGuide.error ? (
          <ExplainedFailure
            failure={shownGuide.error.failure}
            context={{ tool: tool.name, plan: plan.name, modelCode: choice.modelCode }}
            handlers={remedies}
            busy={shownGuide.isOld}
          />
        ) : input === undefined ? (
          <Hint>{t('needModel')}</Hint>
        ) : shownGuide.preview ? (
          <>
            <ToolWarnings warnings={shownGuide.preview.warnings} tool={tool} keyRef={{ planId: plan.id, keyId }} />
            <GuideSteps tool={tool} guide={shownGuide.preview} plan={plan} keyId={keyId} isOld={shownGuide.isOld}>
              <GuideCheck
                tool={tool}
                plan={plan}
                state={checkGuide}
                onCheck={shownGuide.isOld ? undefined : () => checkGuide.mutate(input)}
              />
            </GuideSteps>
          </>
        ) : (
          <ChangesSkeleton />
        )}
      </Section>
    </>
  )
}

/** Sends one minimal real request with the values of the manual setup guide. */
function GuideCheck(props: {
  readonly tool: SiteTool
  readonly plan: PlanView
  readonly state: ReturnType<typeof useAction<'tools.checkGuide'>>
  /** Starts a check of the connection. Undefined while the displayed values are loading. */
  readonly onCheck: (() => void) | undefined
}) {
  const { tool, plan, state, onCheck } = props
  const { t } = useTranslation('tools')
  const { data: check, error, isPending } = state
  const remedies = useRemedies(tool, plan.id, () => onCheck?.())
  const context = { tool: tool.name, ...planContext(plan) }
  return (
    <>
      <div>
        <Button icon={Activity} busy={isPending} disabled={!onCheck && !isPending} onClick={() => onCheck?.()}>
          {t('guide.check')}
        </Button>
      </div>
      <div aria-live="polite" className="empty:hidden">
        <CheckState failure={error?.failure} check={check} context={context} handlers={remedies} busy={isPending} />
      </div>
    </>
  )
}

interface GuideStepsProps {
  readonly tool: SiteTool
  readonly guide: GuideView
  readonly plan: PlanView
  readonly keyId: string | undefined
  /** Whether the displayed values were computed for an earlier choice. */
  readonly isOld: boolean
  /** Result of the connection check, shown as the last step of the guide. */
  readonly children: ReactNode
}

function Step({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <li
      className={joinClassNames(
        'relative flex min-w-0 flex-col gap-2 pl-8.5 [counter-increment:step]',
        'before:absolute before:-top-px before:left-0 before:inline-flex before:size-5.5 before:items-center',
        'before:justify-center before:rounded-full before:border before:border-border-strong before:font-semibold',
        'before:text-muted before:text-xs before:content-[counter(step)]',
      )}
    >
      <h3 className="font-semibold">{title}</h3>
      {children}
    </li>
  )
}

function Fields({ guide, plan, keyId }: Pick<GuideStepsProps, 'guide' | 'plan' | 'keyId'>) {
  const { t } = useTranslation('tools')
  const maskedKey = plan.keys.find(({ id }) => id === keyId)?.masked
  return (
    <table className="w-full border-collapse" aria-label={t('guide.fields')}>
      <thead className="sr-only">
        <tr>
          <th scope="col">{t('guide.field')}</th>
          <th scope="col">{t('guide.value')}</th>
          <th scope="col">{t('guide.copy')}</th>
        </tr>
      </thead>
      <tbody>
        {guide.fields.map(({ label, value }) => (
          <tr key={label} className="border-t first:border-t-0">
            <th scope="row" className="h-9 w-[32%] wrap-anywhere py-1 pr-2 text-left font-medium text-muted">
              {label}
            </th>
            <td className="wrap-anywhere px-2 py-1">
              <QuietCode wrap>{value ?? maskedKey ?? '–'}</QuietCode>
            </td>
            <td className="w-px whitespace-nowrap py-1 pl-2 text-right">
              {value !== undefined ? (
                <CopyText text={value} label={t('guide.copyField', { field: label })} />
              ) : keyId === undefined ? null : (
                <CopyKeyButton planId={plan.id} keyId={keyId} />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function GuideSteps({ tool, guide, plan, keyId, isOld, children }: GuideStepsProps) {
  const { t } = useTranslation('tools')
  return (
    <ol
      className={joinClassNames(
        'flex flex-col gap-5 rounded-lg border bg-surface p-4 [counter-reset:step]',
        'transition-opacity duration-medium',
        isOld && 'opacity-60 delay-120',
      )}
      aria-busy={isOld}
    >
      <Step title={t('guide.open', { tool: tool.name })}>
        <p className="flex flex-wrap items-center gap-1 [&_svg]:text-faint">
          {guide.place.map((segment, index) => (
            <Fragment key={segment}>
              {index > 0 ? <ChevronRight size={13} strokeWidth={2} aria-hidden="true" /> : null}
              <span className="rounded-md border bg-well px-2 py-px">{segment}</span>
            </Fragment>
          ))}
        </p>
      </Step>
      <Step title={t('guide.enter')}>
        <Fields guide={guide} plan={plan} keyId={keyId} />
      </Step>
      <Step title={t('guide.save')}>
        <RequestAddress tool={tool.name} requestAddress={guide.requestAddress} />
      </Step>
      <Step title={t('guide.checkTitle')}>
        <Hint>{t('guide.checkHint', { tool: tool.name })}</Hint>
        {children}
      </Step>
    </ol>
  )
}
