import type { UsageSources } from '@shared/contract'
import { Cable } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../ui/button'
import { Card, Section } from '../../ui/page'
import { Row, RowMark, Rows } from '../../ui/rows'
import { listPath, showPath } from '../connections/paths'
import styles from './sources.module.css'

/** The consoles that can be asked. */
export function Consoles({ consoles }: Pick<UsageSources, 'consoles'>) {
  const { t } = useTranslation('sources', { keyPrefix: 'consoles' })
  return (
    <Section
      title={t('title')}
      description={t('hint')}
      actions={
        consoles.length === 0 ? (
          <ButtonLink size="sm" to={listPath}>
            {t('set')}
          </ButtonLink>
        ) : null
      }
    >
      {consoles.length === 0 ? (
        <Card>
          <p className={styles.text}>{t('none')}</p>
        </Card>
      ) : (
        <Rows label={t('list')}>
          {consoles.map(({ connectionId, name }) => (
            <Row
              key={connectionId}
              leading={
                <RowMark>
                  <Cable size={15} strokeWidth={1.8} />
                </RowMark>
              }
              title={name}
              to={showPath(connectionId)}
            />
          ))}
        </Rows>
      )}
    </Section>
  )
}
