import { PackageOpen } from 'lucide-react'
import { type FormEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { call, useCall } from '../../ipc'
import { openKitPath } from '../../paths'
import { useSession } from '../../session'
import { Button, ButtonLink } from '../../ui/button'
import { ConfirmDialog } from '../../ui/dialog'
import { Card, Page, PageHeader } from '../../ui/page'
import { ProgressBar } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { CheckOutcome, ExplainedFailure, type RemedyHandlers } from '../failures/explained-failure'
import styles from './new-plan.module.css'
import { formIds, type NewPlan, NewPlanForm, useNewPlan } from './new-plan-form'

const focusOn = (id: string): void => {
  const place = document.getElementById(id)
  const control = place?.matches('button') ? place : place?.querySelector<HTMLElement>('input, button')
  place?.scrollIntoView({ block: 'center' })
  control?.focus()
}

/** The check under way, what it gave, or what kept it from being made. */
function Outcome({ form }: { form: NewPlan }) {
  const { t } = useTranslation('plans')
  const place = useRef<HTMLDivElement>(null)
  const { check, failure, isChecking, reading, runCheck } = form
  const isThere = isChecking || check !== undefined || failure !== undefined
  useEffect(() => {
    if (isThere) place.current?.scrollIntoView({ block: 'nearest' })
  }, [isThere])
  const handlers: RemedyHandlers = {
    tryAgain: runCheck,
    pasteKey: () => focusOn(formIds.key),
    setAddress: () => focusOn(formIds.address),
    chooseModel: () => focusOn(formIds.models),
    recheckVault: () => void call('app.recheckVault', {}).then(runCheck, runCheck),
  }
  const host = reading.shown && URL.canParse(reading.shown.url) ? new URL(reading.shown.url).host : undefined
  return (
    <div ref={place} aria-live="polite">
      {isChecking ? (
        <Card>
          <div className={styles.running}>
            <p>{host ? t('new.checking', { host }) : t('new.checkingPlain')}</p>
            <ProgressBar label={t('new.checkingPlain')} />
          </div>
        </Card>
      ) : failure ? (
        <ExplainedFailure failure={failure} context={{ plan: form.draft.name || undefined }} handlers={handlers} />
      ) : check ? (
        <CheckOutcome check={check} context={{ plan: form.draft.name || undefined }} handlers={handlers} />
      ) : null}
    </div>
  )
}

function Foot({ form }: { form: NewPlan }) {
  const { t } = useTranslation('plans')
  const { locale } = useFormats()
  const { missing, isChecking, isSaving, isContextWrong, isNameTaken, areCodesWrong } = form
  const what = new Intl.ListFormat(locale, { type: 'conjunction' }).format(missing.map((one) => t(`new.${one}`)))
  const canCheck = !missing.includes('missingAddress') && !missing.includes('missingKey')
  return (
    <div className={styles.foot}>
      <p className={styles.missing}>{missing.length > 0 ? t('new.missing', { what }) : null}</p>
      <Button variant="ghost" onClick={form.clear}>
        {t('new.discard')}
      </Button>
      <Button onClick={form.runCheck} busy={isChecking} disabled={!canCheck}>
        {t('new.check')}
      </Button>
      <Button
        type="submit"
        variant="primary"
        busy={isSaving}
        disabled={missing.length > 0 || isContextWrong || isNameTaken || areCodesWrong}
      >
        {t('new.save')}
      </Button>
    </div>
  )
}

/** "I was handed a key": a plan from a gateway address and a key that goes from the clipboard to the keychain. */
export function NewPlanPage() {
  const { t } = useTranslation('plans')
  const { t: kits } = useTranslation('handouts')
  const navigate = useNavigate()
  const words = useFailureWords()
  const choosePlan = useSession((session) => session.choosePlan)
  const { data: app } = useCall('app.get', {})
  const form = useNewPlan((planId, name) => {
    choosePlan(planId)
    void navigate(`/plans/${planId}`, { replace: true })
    void toast(t('new.saved', { name }), {
      description: t(app?.vault.kind === 'session' ? 'new.savedHintSession' : 'new.savedHint'),
      action: { label: t('new.setUpTool'), onClick: () => void navigate('/tools') },
    })
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    form.save()
  }
  const failed = form.check?.ok === false ? words(form.check.failure) : undefined
  return (
    <Page width="narrow">
      <PageHeader
        title={t('new.title')}
        state={t('new.state')}
        breadcrumb={[{ label: t('title'), to: '/plans' }]}
        actions={
          <ButtonLink icon={PackageOpen} to={openKitPath}>
            {kits('fromNewPlan')}
          </ButtonLink>
        }
      />
      <form className={styles.form} onSubmit={submit} noValidate>
        <NewPlanForm form={form} />
        <Outcome form={form} />
        <Foot form={form} />
      </form>
      <ConfirmDialog
        open={form.isAsking}
        onOpenChange={form.setIsAsking}
        title={t('new.saveAnywayTitle')}
        description={t('new.saveAnywayText', { what: failed?.title ?? '' })}
        confirmLabel={t('new.saveAnyway')}
        busy={form.isSaving}
        onConfirm={form.saveAnyway}
      />
    </Page>
  )
}
