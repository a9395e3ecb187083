import { Route, Routes } from 'react-router'
import { MemoriesPage } from './memories-page'
import { MemoryPage } from './memory-page'

/** The pages of memories. */
export function MemoryRoutes() {
  return (
    <Routes>
      <Route index element={<MemoriesPage />} />
      <Route path=":id" element={<MemoryPage />} />
      <Route path=":id/:tab" element={<MemoryPage />} />
    </Routes>
  )
}
