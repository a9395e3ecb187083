import type { HandoutResult } from '@shared/contract'
import { holderId } from '@shared/key-ids'
import i18next from 'i18next'
import { FileKey2, KeyRound, Send, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { formatList, toSearchText } from '../../../format'
import { useCall } from '../../../ipc'
import { joinQueries, Loaded } from '../../../loaded'
import { bulkHandoutPath, enterCodePath, registerPath } from '../../../paths'
import { Button, ButtonLink } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { QuietCode } from '../../../ui/code'
import { Form, TextField } from '../../../ui/field'
import { EmptyState, FactsCard, FieldSection, Page, PageHeader, RowSection, Section } from '../../../ui/page'
import { RadioCards, SegmentedControl } from '../../../ui/radio-cards'
import { Row, RowIcon } from '../../../ui/rows'
import { Hint, StepNumber } from '../../../ui/text'
import { findRegisterEntry, knownHolders, needsHandout, useAccountPlans, useConsole } from '../../connections/account'
import { ApplyBar } from '../../tools'
import {
  CompactPassphraseButtons,
  emptyDraft,
  findRecipientProblem,
  type Handout,
  KeyFields,
  maxLengths,
  PassphraseButtons,
  PlanField,
  ToolsField,
  useHandout,
  useHandoutsStore,
  useIssuePlans,
} from './handout-fields'

const t = i18next.getFixedT(null, ['handouts', 'register'])

export function NoPlans() {
  const { data: ofAccount = [] } = useAccountPlans(useConsole().connectionId)
  return (
    <EmptyState icon={KeyRound} title={t('noPlans.title')} next={{ to: '/plans', label: t('noPlans.action') }}>
      {t(ofAccount.length > 0 ? 'noPlans.textSave' : 'noPlans.text')}
    </EmptyState>
  )
}

function useStartHolder(query: URLSearchParams) {
  const [planId, keyId, recipientId] = [query.get('plan'), query.get('key'), query.get('to')]
  const { data: entries = [] } = useCall('register.list', {})
  const entry = findRegisterEntry(entries, { planId: planId ?? '', keyId: keyId ?? '' })
  const recipientHolder = entries.find(({ holder }) => holder && holderId(holder) === recipientId)?.holder
  const holder = recipientHolder ?? (entry && needsHandout(entry) ? entry.holder : undefined)
  if (!holder) return undefined
  const { id, kind, name } = holder
  return { holderId: id, kind, name, ...(entry?.purpose !== undefined && { purpose: entry.purpose }) }
}

function HandoutFlow() {
  const [query, setQuery] = useSearchParams()
  const plansQuery = useIssuePlans()
  const toolsQuery = useCall('tools.list', {})
  const start = useStartHolder(query)
  const [shownResult, show] = useState<HandoutResult>()
  const [planId, keyId] = [query.get('plan'), query.get('key')]
  const startAnotherHandout = (): void => {
    show(undefined)
    setQuery(planId === null ? {} : { plan: planId }, { replace: true })
  }
  if (shownResult) {
    const { keyName, path, hasPassphrase } = shownResult
    const holder = shownResult.holder.name
    const sendSteps = hasPassphrase
      ? [t('result.sendFile', { holder }), t('result.sendPassphrase')]
      : [t('result.sendFileRecipient', { holder })]
    const steps = [...sendSteps, t('result.theyOpen'), t('result.theyAnswer')]
    return (
      <>
        <Callout tone="success" title={t('result.title', { holder })} />
        <FactsCard
          items={[
            path !== undefined && {
              label: t('result.file'),
              value: <QuietCode wrap>{path}</QuietCode>,
              action: <CopyText text={path} label={t('result.copyPath')} />,
            },
            { label: t('result.key'), value: keyName },
          ]}
        />
        {hasPassphrase ? (
          <Section title={t('result.passphrase')} description={t('result.passphraseText')}>
            <div className="flex flex-wrap items-center gap-2">
              <PassphraseButtons result={shownResult} />
            </div>
          </Section>
        ) : null}
        <Section title={t('result.next')} actions={[{ label: t('register:enterCode'), to: enterCodePath }]}>
          <ol className="divide-y rounded-lg border bg-surface" aria-label={t('result.next')}>
            {steps.map((step, index) => (
              <li key={step} className="flex items-start gap-3 px-4 py-2.5">
                <StepNumber>{index + 1}</StepNumber>
                <p>{step}</p>
              </li>
            ))}
          </ol>
        </Section>
        <div className="flex flex-wrap items-center justify-end gap-2">
          <ButtonLink to={registerPath}>{t('result.toRegister')}</ButtonLink>
          <Button variant={hasPassphrase ? 'secondary' : 'primary'} icon={Send} onClick={startAnotherHandout}>
            {t('result.another')}
          </Button>
        </div>
        <CreatedKeyFiles except={shownResult.id} />
      </>
    )
  }
  return (
    <Loaded query={joinQueries(plansQuery, toolsQuery)} rows={6}>
      {([plans]) =>
        plans.length === 0 ? (
          <NoPlans />
        ) : (
          <>
            <HandoutForm
              key={`${planId ?? ''} ${keyId ?? ''} ${start?.name ?? ''}`}
              plans={plans}
              onMade={show}
              first={emptyDraft({ ...(planId !== null && { planId }), ...(keyId !== null && { keyId }), ...start })}
            />
            <CreatedKeyFiles />
          </>
        )
      }
    </Loaded>
  )
}

export function HandoutPage() {
  return (
    <Page width="narrow">
      <PageHeader
        title={t('handouts:title')}
        state={t('handouts:state')}
        breadcrumb={[{ label: t('register:title'), to: registerPath }]}
        actions={[{ label: t('handouts:toMany'), icon: UsersRound, to: bulkHandoutPath }]}
      />
      <HandoutFlow />
    </Page>
  )
}

function CreatedKeyFiles({ except }: { readonly except?: string | undefined }) {
  const handoutResults = useHandoutsStore((store) => store.made)
  const otherResults = handoutResults.filter(({ id }) => id !== except)
  if (otherResults.length === 0) return null
  return (
    <RowSection title={t('result.before')}>
      {otherResults.map((result) => {
        const { holder, keyName, path } = result
        return (
          <Row
            key={result.id}
            leading={<RowIcon icon={FileKey2} />}
            title={holder.name}
            description={path === undefined ? keyName : <QuietCode>{path}</QuietCode>}
            trailing={
              <>
                <CompactPassphraseButtons result={result} />
                {path === undefined ? null : <CopyText text={path} label={t('result.copyPath')} />}
              </>
            }
          />
        )
      })}
    </RowSection>
  )
}

function HandoutForm(start: Parameters<typeof useHandout>[0]) {
  const form = useHandout(start)
  const { plan, change, missing, creating, create, draft } = form
  if (!plan) return null
  const missingText = formatList(missing.map((messageKey) => t(`form.${messageKey}`)))
  const problem = findRecipientProblem(draft.recipient)
  return (
    <Form className="flex flex-col gap-6" onSubmit={() => create?.()}>
      <FieldSection title={t('form.to')}>
        <HolderFields form={form} />
      </FieldSection>
      <FieldSection title={t('form.key')}>
        <PlanField
          plans={start.plans}
          plan={plan}
          onPlan={(planId) => change({ planId, keyId: undefined, toolIds: undefined })}
        />
        <KeyFields form={form} plan={plan} />
        <ToolsField chosen={form.toolIds} onChange={(toolIds) => change({ toolIds })} />
      </FieldSection>
      <FieldSection title={t('form.lock')}>
        <RadioCards
          label={t('form.lock')}
          columns={2}
          value={draft.lock}
          onValueChange={(lock) => change({ lock })}
          options={[
            { value: 'passphrase', label: t('form.passphrase'), hint: t('form.passphraseHint') },
            { value: 'recipient', label: t('form.recipient'), hint: t('form.recipientHint') },
          ]}
        />
        {draft.lock === 'recipient' ? (
          <TextField
            label={t('form.recipientLabel')}
            required
            error={problem === undefined || problem === 'empty' ? undefined : t(`form.${recipientErrors[problem]}`)}
            mono
            autoFocus
            placeholder={t('form.recipientPlaceholder')}
            value={draft.recipient}
            // If the user pastes a secret age key, keep only its prefix, so that the key is not in the field.
            onChange={(text) =>
              change({ recipient: findRecipientProblem(text) === 'secret' ? 'AGE-SECRET-KEY-' : text })
            }
          />
        ) : null}
      </FieldSection>
      <ExplainedFailure
        failure={creating.error?.failure ?? creating.data?.failure}
        handlers={{ tryAgain: create }}
        busy={creating.isPending}
      />
      {creating.data?.state === 'cancelled' ? <Hint role="status">{t('handouts:result.cancelled')}</Hint> : null}
      <ApplyBar
        label={t('form.create')}
        busy={creating.isPending}
        apply={create}
        reason={missing.length > 0 ? t('form.missing', { what: missingText }) : undefined}
      >
        {draft.name.trim() === '' ? t('form.where') : t('form.outcome', { holder: draft.name.trim(), plan: plan.name })}
      </ApplyBar>
    </Form>
  )
}

const maxSuggestions = 6

function HolderFields({ form }: { readonly form: Handout }) {
  const { draft, change } = form
  const { data: entries = [] } = useCall('register.list', {})
  const typedName = draft.name.trim()
  const suggestedHolders = knownHolders(entries)
    .filter(({ kind, name }) => kind === draft.kind && name !== typedName)
    .filter(({ name }) => toSearchText(name).includes(toSearchText(typedName)))
    .slice(0, maxSuggestions)
  const findError = (field: keyof typeof maxLengths): string | undefined =>
    draft[field].trim().length > maxLengths[field] ? t('form.tooLong', { max: maxLengths[field] }) : undefined
  return (
    <>
      <div>
        <SegmentedControl
          label={t('form.kind')}
          value={draft.kind}
          onValueChange={(kind) => change({ kind })}
          segments={(['person', 'tool'] as const).map((value) => ({ value, label: t(`form.${value}`) }))}
        />
      </div>
      <div className="grid grid-cols-2 gap-4">
        <TextField
          label={t('form.name')}
          required
          hint={t(draft.kind === 'person' ? 'form.personHint' : 'form.toolHint')}
          error={findError('name')}
          autoFocus
          value={draft.name}
          onChange={(name) => change({ name, holderId: undefined })}
        />
        <TextField
          label={t('form.purpose')}
          optional
          hint={t('form.purposeHint')}
          error={findError('purpose')}
          value={draft.purpose}
          onChange={(purpose) => change({ purpose })}
        />
      </div>
      {suggestedHolders.length > 0 ? (
        <div className="-mt-1 flex flex-wrap items-center gap-1.5">
          <Hint as="span">{t('form.known')}</Hint>
          {suggestedHolders.map(({ id, name }) => (
            <Button key={id ?? name} size="sm" onClick={() => change({ name, holderId: id })}>
              {name}
            </Button>
          ))}
        </div>
      ) : null}
    </>
  )
}

const recipientErrors = { secret: 'recipientSecret', wrong: 'recipientWrong' } as const
