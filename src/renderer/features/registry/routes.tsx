import { Navigate, Route, Routes } from 'react-router'
import { SectionPage } from '../resources/section-page'
import { ServiceGate } from '../resources/service-gate'
import { DockerSection } from './docker-section'
import { repositories } from './repositories'
import { RepositoriesPage, RepositoryPage } from './repository-pages'
import { RobotsPage } from './robots-page'
import { dockerPath, registrySection } from './section'

function DockerPage() {
  return (
    <SectionPage section={registrySection} tab={dockerPath}>
      <ServiceGate address="registryApiUrl">{(connection) => <DockerSection connection={connection} />}</ServiceGate>
    </SectionPage>
  )
}

/** The pages of the container registry. */
export function RegistryRoutes() {
  return (
    <Routes>
      <Route index element={<Navigate to={repositories.at} replace />} />
      <Route path="repositories" element={<RepositoriesPage />} />
      <Route path="repositories/:id" element={<RepositoryPage />} />
      <Route path="robots" element={<RobotsPage />} />
      <Route path="docker" element={<DockerPage />} />
      <Route path="*" element={<Navigate to={repositories.at} replace />} />
    </Routes>
  )
}
