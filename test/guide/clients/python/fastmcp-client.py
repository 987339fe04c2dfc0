import asyncio

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

address = "http://127.0.0.1:3000/api/bundles/dev/dev/library-with-endpoint/mcp/desk"
headers = {"X-Timeloom-Roles": "editor"}  # with tokens: "Authorization": "Bearer …"


async def main():
    async with Client(StreamableHttpTransport(address, headers=headers)) as client:
        print([tool.name for tool in await client.list_tools()])
        books = await client.call_tool("library.search", {"title": "Emma"})
        answer = await client.call_tool("librarian", {"prompt": "What is new?"})
        print(books.content[0].text, answer.content[0].text)


asyncio.run(main())
