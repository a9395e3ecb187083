import type { FailureCodeTexts } from '../en/failure-codes'

/** Words for the failures of profiles and of the history, in Vietnamese. */
export const profileFailures: Pick<FailureCodeTexts, 'profile' | 'history'> = {
  profile: {
    notFound: {
      title: 'Không còn hồ sơ này',
      explanation: 'Hồ sơ đã bị gỡ trong lúc đó, hoặc nội dung đã đọc từ tệp không còn được nhớ.',
      remedy: 'Hãy chọn hồ sơ khác, hoặc chọn lại tệp.',
    },
    nameTaken: {
      title: 'Đã có hồ sơ mang tên này',
      explanation: 'Hai hồ sơ không thể trùng tên, dù viết hoa hay thường, vì tên là cách để phân biệt chúng.',
      remedy: 'Hãy chọn một tên khác.',
    },
    unreadable: {
      title: 'Tệp này không phải là hồ sơ đọc được',
      explanation:
        'Tệp hồ sơ được tạo bằng “Xuất cho đồng nghiệp”. Tệp này có chỗ sai {{where}}; phần chi tiết bên dưới nói rõ.',
      remedy: 'Hãy xin lại tệp, hoặc chọn tệp khác.',
    },
    incomplete: {
      title: 'Hồ sơ còn thiếu',
      explanation: 'Hồ sơ chưa đặt công cụ nào, hoặc gói hay khóa mà nó dùng không còn trên máy này.',
      remedy: 'Hãy chọn lại gói và khóa trong hồ sơ.',
    },
  },
  history: {
    notFound: {
      title: 'Lần ghi này không còn trong lịch sử',
      explanation: 'Những gì cần để quay về trước lần ghi này không còn được giữ.',
      remedy: 'Hãy chọn lần ghi khác trong lịch sử.',
    },
  },
}
