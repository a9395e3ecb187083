import i18next from 'i18next'
import { type ComponentProps, useId } from 'react'
import { explainFailure } from '../../failures'
import { getEndOfDay } from '../../format'
import { TextField } from '../../ui/field'
import { Hint } from '../../ui/text'
import { CertificateFile } from '../connections'
import { Corrections, type ReadAddress, readContext, StandardAddresses } from '../connections/account'

const t = i18next.getFixedT(null, 'plans')

interface OptionalFields {
  readonly expiresOn: string
  readonly context: string
  /** Path of a CA file. Empty means only the system's certificates. */
  readonly caFile: string
}

export function GatewayAddressField({
  reading,
  ...input
}: Pick<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'hint' | 'placeholder' | 'disabled'> & {
  readonly reading: Partial<ReadAddress>
}) {
  const failureTexts = reading.failure && explainFailure(reading.failure)
  return (
    <>
      <TextField
        label={t('new.address')}
        required
        mono
        error={failureTexts && `${failureTexts.title}. ${failureTexts.remedy}`}
        {...input}
      />
      <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
        {reading.shown ? (
          <>
            <Corrections address={reading.shown} />
            <StandardAddresses address={reading.shown} />
          </>
        ) : null}
      </div>
    </>
  )
}

export function OptionalPlanFields(props: {
  readonly fields: OptionalFields
  readonly change: (changes: Partial<OptionalFields>) => void
}) {
  const {
    fields: { expiresOn, context, caFile },
    change,
  } = props
  const id = useId()
  return (
    <>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(220px,1fr))] items-start gap-4">
        <TextField
          label={t('new.expires')}
          optional
          type="date"
          value={expiresOn}
          onChange={(day) => change({ expiresOn: day })}
        />
        <TextField
          label={t('new.context')}
          optional
          hint={t('new.contextHint')}
          error={readContext(context) === 'invalid' ? t('new.contextRule') : undefined}
          inputMode="numeric"
          placeholder="128000"
          value={context}
          onChange={(text) => change({ context: text })}
        />
      </div>
      <fieldset className="flex flex-col gap-2" aria-describedby={id}>
        <legend className="mb-1 font-medium">{t('new.certificates')}</legend>
        <CertificateFile path={caFile} onChange={(path) => change({ caFile: path })} />
        <Hint id={id}>{t('new.certificatesHint')}</Hint>
      </fieldset>
    </>
  )
}

export function readOptionalFields({ expiresOn, context, caFile }: OptionalFields) {
  const contextTokens = readContext(context)
  const expiresAt = getEndOfDay(expiresOn)
  if (contextTokens === 'invalid') return undefined
  return {
    ...(contextTokens !== undefined && { contextTokens }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(caFile !== '' && { caFile }),
  }
}
