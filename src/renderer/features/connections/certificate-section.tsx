import { FileBadge, ShieldCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { Card, Section } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './connections.module.css'
import { type ConnectionForm, placeOf } from './use-connection-form'

/** A file of certificates to trust beside the computer's own, chosen in the system's dialog. */
export function CertificateSection({ form }: { readonly form: ConnectionForm }) {
  const { t } = useTranslation('connections')
  const { entries, errors, set } = form
  const choosing = useAction('connections.chooseCaFile', {
    onSuccess: ({ path }) => {
      if (path !== undefined) set('caFile', { caFile: path })
    },
  })
  const failure = choosing.error?.failure
  const isNoCertificate = failure?.code === 'file.unparsable'
  const isChosen = entries.caFile !== ''
  const Icon = isChosen ? FileBadge : ShieldCheck
  const error = isNoCertificate ? t('certificates.notOne') : errors.caFile
  return (
    <Section title={t('certificates.title')} description={t('certificates.hint')}>
      <Card>
        <div id={placeOf('caFile')} className={styles.certificates}>
          <Icon size={16} strokeWidth={1.8} aria-hidden="true" />
          <div className={styles.certificateWords}>
            {isChosen ? (
              <>
                <Code quiet wrap>
                  {entries.caFile}
                </Code>
                <p className={styles.second}>{t('certificates.beside')}</p>
              </>
            ) : (
              <p>{t('certificates.usual')}</p>
            )}
          </div>
          {isChosen ? (
            <Button size="sm" variant="ghost" onClick={() => set('caFile', { caFile: '' })}>
              {t('certificates.clear')}
            </Button>
          ) : null}
          <Button size="sm" busy={choosing.isPending} onClick={() => choosing.mutate({})}>
            {t(isChosen ? 'certificates.change' : 'certificates.choose')}
          </Button>
        </div>
        {error ? (
          <p className={styles.error} role="alert">
            {error}
          </p>
        ) : null}
        {failure && !isNoCertificate ? <ExplainedFailure failure={failure} /> : null}
      </Card>
    </Section>
  )
}
