import asyncio

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

address = "http://127.0.0.1:3000/api/bundles/dev/dev/library-with-endpoint/mcp/desk"
headers = {"X-Timeloom-Roles": "editor"}  # with tokens: "Authorization": "Bearer …"


async def main():
    async with httpx2.AsyncClient(headers=headers, timeout=None) as http:
        async with Client(streamable_http_client(address, http_client=http)) as client:
            books = await client.call_tool("library.search", {"title": "Emma"})
            answer = await client.call_tool("librarian", {"prompt": "What is new?"})
            print(books.content[0].text, answer.content[0].text)


asyncio.run(main())
