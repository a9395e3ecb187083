import type { RotationView } from '@shared/contract'
import { Play, RotateCw, SearchX, Square, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams } from 'react-router'
import { useFormats } from '../../format'
import { call } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Page, PageHeader, Section } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { ExplainedFailure } from '../failures/explained-failure'
import { auditPath, registerPath, rotationsPath } from '../register/paths'
import { Outcome } from './outcome'
import { rotatePath } from './paths'
import { endsKey, isEnded, leftTools, placeOf, type Step, stateTones, stepsNow } from './progress'
import { isKeyGone, RestartCallout, RestartHint } from './restart-note'
import { RotatedTools } from './rotated-tools'
import styles from './rotation.module.css'
import { RotationSteps } from './rotation-steps'
import { UndoQuestion } from './undo-question'
import { type RotationActions, useRotationActions } from './use-rotation-actions'
import { useRotations } from './use-rotations'
import { useStepWords } from './use-step-words'

interface PartsProps {
  readonly rotation: RotationView
  readonly actions: RotationActions
}

function Buttons({ rotation, actions, onUndo }: PartsProps & { readonly onUndo: () => void }) {
  const { t } = useTranslation('rotation')
  const { state, canResume, canUndo } = rotation
  const isRunning = state === 'running'
  return (
    <>
      {isEnded(rotation) ? (
        <>
          <Button busy={actions.isDismissing} onClick={actions.dismiss}>
            {t('view.dismiss')}
          </Button>
          <ButtonLink variant="primary" icon={RotateCw} to={rotatePath}>
            {t('view.another')}
          </ButtonLink>
        </>
      ) : null}
      {canUndo && !isRunning ? (
        <Button icon={Undo2} onClick={onUndo}>
          {t('view.undo')}
        </Button>
      ) : null}
      {isRunning ? (
        <Button icon={Square} busy={actions.isStopping} title={t('view.stopHint')} onClick={actions.stop}>
          {t(actions.isStopping ? 'view.stopping' : 'view.stop')}
        </Button>
      ) : null}
      {canResume && !isRunning ? (
        <Button variant="primary" icon={Play} busy={actions.isResuming} onClick={actions.resume}>
          {t('view.resume')}
        </Button>
      ) : null}
    </>
  )
}

/** Steps that fail because of single tools, which say why themselves. */
const ofTools: readonly Step['id'][] = ['repoint', 'verify', 'giveBack', 'verifyBack']

/** What stands beneath a step that failed: why, and the way on. */
function StepFailure({ step, rotation, actions }: PartsProps & { readonly step: Step }) {
  const { t } = useTranslation('rotation')
  if (!step.failure) return null
  if (ofTools.some((id) => id === step.id) && leftTools(rotation).length > 0) {
    return <p className={styles.hint}>{t('view.seeTools')}</p>
  }
  const resume = rotation.canResume ? actions.resume : undefined
  const look = (): void => void call('app.recheckVault', {}).then(resume, resume)
  return (
    <div className={styles.failure}>
      <ExplainedFailure
        failure={step.failure}
        context={{ plan: rotation.planName }}
        handlers={{ tryAgain: resume, refresh: resume, recheckVault: resume && look }}
        busy={actions.isResuming}
      />
    </div>
  )
}

function State({ rotation }: { readonly rotation: RotationView }) {
  const { t } = useTranslation('rotation')
  const { at, count, step } = placeOf(rotation)
  const stepWords = useStepWords()
  const { date, time } = useFormats()
  const progress = rotation.state === 'running' && step && t('view.progress', { at, count, step: stepWords(step) })
  return (
    <>
      <Facts
        items={[
          rotation.planName,
          `${rotation.oldKeyName} → ${rotation.newKeyName}`,
          t('list.began', { when: `${date(rotation.startedAt)} ${time(rotation.startedAt)}` }),
          progress,
        ]}
      />
      <span className="sr-only" role="status">
        {progress || t(`states.${rotation.state}`)}
      </span>
    </>
  )
}

function One({ rotation }: { readonly rotation: RotationView }) {
  const { t } = useTranslation(['rotation', 'register'])
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const actions = useRotationActions(rotation, () => void navigate(rotationsPath, { replace: true }))
  const { state, profiles, oldKeyName, steps, undoSteps } = rotation
  const isNow = ({ id }: Step): boolean => stepsNow(rotation).some((step) => step.id === id)
  // What asks for a hand comes before what went well.
  const isLeft = leftTools(rotation).length > 0
  const tools = <RotatedTools rotation={rotation} actions={actions} />
  const under = (step: Step) => (
    <>
      {endsKey(step.id) && isNow(step) && !isKeyGone(rotation) ? <RestartHint tools={rotation.tools} /> : null}
      <StepFailure step={step} rotation={rotation} actions={actions} />
    </>
  )
  return (
    <>
      <PageHeader
        title={t('rotation:titleOf', { key: oldKeyName })}
        badge={<Badge tone={stateTones[state]}>{t(`rotation:states.${state}`)}</Badge>}
        breadcrumb={[
          { label: t('register:title'), to: registerPath },
          { label: t('register:tabs.rotations'), to: rotationsPath },
        ]}
        state={<State rotation={rotation} />}
        actions={<Buttons rotation={rotation} actions={actions} onUndo={() => setIsAsking(true)} />}
      />
      <Outcome rotation={rotation} />
      {isKeyGone(rotation) ? <RestartCallout when="after" tools={rotation.tools} /> : null}
      {isLeft ? tools : null}
      {undoSteps ? (
        <Section title={t('rotation:view.undoSteps')}>
          <RotationSteps label={t('rotation:view.undoSteps')} steps={undoSteps} under={under} />
        </Section>
      ) : null}
      <Section title={t('rotation:view.steps')}>
        <RotationSteps label={t('rotation:view.steps')} steps={steps} under={under} />
      </Section>
      {isLeft ? null : tools}
      {profiles.length > 0 ? (
        <p className={styles.hint}>{t('rotation:plan.profiles', { names: profiles.join(', ') })}</p>
      ) : null}
      {isAsking ? (
        <UndoQuestion rotation={rotation} undoing={actions.undoing} onClose={() => setIsAsking(false)} />
      ) : null}
    </>
  )
}

function Gone() {
  const { t } = useTranslation('rotation')
  return (
    <EmptyState
      icon={SearchX}
      title={t('view.gone')}
      actions={<ButtonLink to={auditPath}>{t('view.toAudit')}</ButtonLink>}
    >
      {t('view.goneText')}
    </EmptyState>
  )
}

/** One rotation: how far it is, what it does to each tool, and what can be done about it. */
export function RotationPage() {
  const { rotationId = '' } = useParams()
  const query = useRotations()
  return (
    <Page>
      <Loaded query={query} skeleton={<SkeletonRows rows={6} />}>
        {(list) => {
          const rotation = list.find(({ id }) => id === rotationId)
          return rotation ? <One key={rotation.id} rotation={rotation} /> : <Gone />
        }}
      </Loaded>
    </Page>
  )
}
