import type { PlanView, ToolChanges, ToolView } from '@shared/contract'
import { Wrench } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Card, Page, PageHeader, Section } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { ExplainedFailure } from '../failures/explained-failure'
import { AddPlanFirst } from './add-plan-first'
import { ApplyBar } from './apply-bar'
import { LayoutToggle } from './file-changes'
import { LeftOut, LeftTools } from './left-tools'
import { ManyPreviewArea } from './many-preview-area'
import styles from './set-up.module.css'
import { SetUpForm } from './set-up-form'
import { SetUpResult } from './set-up-result'
import { SetUpTools } from './set-up-tools'
import { TakenOut } from './taken-out'
import { toolPath } from './tool-status'
import { ToolWarnings } from './tool-warnings'
import { useApplyKey } from './use-apply-key'
import { type SettingUp, type SetUpDone, useSetUp } from './use-set-up'
import { WriteFailure } from './write-failure'

interface SetUpProps {
  readonly tools: readonly ToolView[]
  readonly plans: readonly PlanView[]
  readonly onDone: (done: SetUpDone) => void
}

/** What to know about one tool's changes, with what can be done about it; nothing when there is nothing. */
function notesOf(changes: ToolChanges, { state, name }: { readonly state: SettingUp; readonly name: string }) {
  const { toolId, site, warnings } = changes
  const { takeOut = [] } = state.picked.single?.[toolId] ?? {}
  if (warnings.length === 0 && takeOut.length === 0) return null
  const { choice } = state
  return (
    <div className={styles.notes}>
      <ToolWarnings
        warnings={warnings}
        tool={{ id: toolId, name }}
        site={site}
        keyRef={choice?.keyId === undefined ? undefined : { planId: choice.plan.id, keyId: choice.keyId }}
        onTakeOut={(path) => state.pickFor(toolId, { takeOut: [...takeOut, path] })}
      />
      <TakenOut
        paths={takeOut}
        onLeaveIn={(path) => state.pickFor(toolId, { takeOut: takeOut.filter((one) => one !== path) })}
      />
    </div>
  )
}

/** The tools that stay as they are: those main would not change, and those a person sets up by hand. */
function Left({ tools, state }: { readonly tools: readonly ToolView[]; readonly state: SettingUp }) {
  const { t } = useTranslation('tools')
  const byHand = state.isNamed ? [] : tools.filter(({ kind, installed }) => kind !== 'written' && installed)
  return (
    <LeftTools
      left={state.shown.preview?.left ?? []}
      tools={tools}
      onMoveComments={(toolId) => state.pickFor(toolId, { moveCommentsToCopy: true })}
    >
      {byHand.length === 0
        ? null
        : byHand.map(({ id, name, kind, reason }) => (
            <LeftOut
              key={id}
              name={name}
              reason={kind === 'guided' ? t('many.byHand') : t(`unsupported.${reason ?? 'platform'}.short`)}
              action={
                <ButtonLink size="sm" variant="ghost" to={toolPath(id)}>
                  {t('actions.open')}
                  <span className="sr-only"> {name}</span>
                </ButtonLink>
              }
            />
          ))}
    </LeftTools>
  )
}

function SetUp({ tools, plans, onDone }: SetUpProps) {
  const { t } = useTranslation('tools')
  const state = useSetUp({ tools, plans, onDone })
  const { choice, shown, chosen, offered, writing, apply } = state
  useApplyKey(apply)
  if (!choice) return <AddPlanFirst />
  if (offered.length === 0) {
    return (
      <>
        <EmptyState
          icon={Wrench}
          title={t('many.none')}
          actions={<ButtonLink to="/tools">{t('many.toTools')}</ButtonLink>}
        >
          {t('many.noneText')}
        </EmptyState>
        <Left tools={tools} state={state} />
      </>
    )
  }
  const nameOf = (id: string): string => tools.find((tool) => tool.id === id)?.name ?? id
  const count = shown.preview?.tools.length ?? 0
  const remedies = { tryAgain: shown.refresh, previewAgain: shown.refresh }
  return (
    <>
      <Card>
        <SetUpForm
          plans={plans}
          choice={choice}
          picked={state.picked}
          tools={chosen}
          plainText={state.plainText.map(nameOf)}
          onPick={state.pick}
        />
      </Card>
      <SetUpTools tools={offered} chosen={new Set(chosen.map(({ id }) => id))} onChange={state.choose} />
      <Section title={t('changes')} description={t('changesHint')} actions={<LayoutToggle />}>
        <WriteFailure failure={writing.error?.failure} isMany handlers={remedies} />
        <ManyPreviewArea
          shown={shown}
          tools={tools}
          failure={
            shown.error ? (
              <ExplainedFailure
                failure={shown.error.failure}
                context={{ plan: choice.plan.name, modelCode: choice.modelCode }}
                handlers={remedies}
                busy={shown.isOld}
              />
            ) : null
          }
          missing={state.input ? undefined : t(chosen.length === 0 ? 'many.needTools' : 'needModel')}
          notesOf={(changes) => notesOf(changes, { state, name: nameOf(changes.toolId) })}
        />
      </Section>
      <Left tools={tools} state={state} />
      {shown.preview && count > 0 ? (
        <ApplyBar
          label={t('setUpMany', { count })}
          busy={writing.isPending}
          disabled={!apply && !writing.isPending}
          onApply={() => apply?.()}
          reason={state.idle ? t('nothingToDo') : state.lacksConsent ? t('many.consentNeeded') : undefined}
        >
          <p className={styles.outcome}>
            <strong>{t('many.outcome', { count, plan: choice.plan.name })}</strong>
            {t('many.allOrNothing')}
          </p>
        </ApplyBar>
      ) : null}
    </>
  )
}

/** Several tools set up for one plan in one go: one diff, all or nothing. */
export function SetUpPage() {
  const { t } = useTranslation('tools')
  const tools = useCall('tools.list', {})
  const plans = useCall('plans.list', {})
  const [done, setDone] = useState<SetUpDone>()
  return (
    <Page>
      <PageHeader
        title={t('many.title')}
        breadcrumb={[{ label: t('title'), to: '/tools' }]}
        state={done ? null : t('many.state')}
      />
      <Loaded query={tools} skeleton={<SkeletonRows rows={4} />}>
        {(list) => (
          <Loaded query={plans} skeleton={<SkeletonRows rows={4} />}>
            {(all) => (done ? <SetUpResult done={done} /> : <SetUp tools={list} plans={all} onDone={setDone} />)}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
