import { useTranslation } from 'react-i18next'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { Card, Section } from '../../ui/page'
import { addressGroups, examples } from './address-groups'
import styles from './connections.module.css'
import { type ConnectionForm, placeOf } from './use-connection-form'

/** The nine addresses, by what belongs together, each with what it is and an example. */
export function AddressSection({ form }: { readonly form: ConnectionForm }) {
  const { t } = useTranslation('connections')
  return (
    <Section title={t('form.addresses')} description={t('form.addressesHint')}>
      <Card>
        {addressGroups.map(({ id, keys }) => (
          <fieldset key={id} className={styles.group}>
            <legend className={styles.legend}>{t(`groups.${id}`)}</legend>
            <FieldGroup>
              {keys.map((key) => (
                <div key={key} id={placeOf(key)}>
                  <Field
                    label={t(`addresses.${key}.name`)}
                    hint={t(`addresses.${key}.hint`)}
                    error={form.errors[key]}
                    className={styles.sideways ?? ''}
                  >
                    <TextInput
                      mono
                      placeholder={examples[key]}
                      maxLength={2000}
                      value={form.entries.addresses[key] ?? ''}
                      onChange={(event) => form.setAddress(key, event.target.value)}
                    />
                  </Field>
                </div>
              ))}
            </FieldGroup>
          </fieldset>
        ))}
      </Card>
    </Section>
  )
}
